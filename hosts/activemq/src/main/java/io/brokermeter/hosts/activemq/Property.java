package io.brokermeter.hosts.activemq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A property of the broker by its name as in its own configuration files, {@code advisorySupport}, or by a path through the
 * broker's parts, {@code systemUsage.memoryUsage.limit}.
 */
final class Property {

    private static final Pattern SIZE = Pattern.compile("(-?[0-9]+)\\s*([kmgKMG])[bB]?");

    private final String name;
    private final Object owner;
    private final Method setter;

    private Property(String name, Object owner, Method setter) {
        this.name = name;
        this.owner = owner;
        this.setter = setter;
    }

    /** @throws IllegalArgumentException with one sentence for the user, when there is no such property */
    static Property of(Object root, String path) {
        Object owner = root;
        String[] names = path.split("\\.", -1);
        for (int i = 0; i < names.length - 1; i++) {
            owner = part(owner, names[i], path);
        }
        String last = names[names.length - 1];
        String setter = "set" + capitalized(last);
        List<Method> candidates = new ArrayList<>(Arrays.stream(owner.getClass().getMethods())
            .filter(method -> method.getName().equals(setter) && method.getParameterCount() == 1
                && isSimple(method.getParameterTypes()[0])).toList());
        if (candidates.isEmpty()) {
            throw unknown(owner, last, path);
        }
        return new Property(path, owner, candidates.getFirst());
    }

    private static Object part(Object owner, String name, String path) {
        Object part = null;
        try {
            part = owner.getClass().getMethod("get" + capitalized(name)).invoke(owner);
        } catch (ReflectiveOperationException e) {
            // the sentence below covers it
        }
        if (part == null) {
            throw unknown(owner, name, path);
        }
        return part;
    }

    private static IllegalArgumentException unknown(Object owner, String name, String path) {
        List<String> known = Arrays.stream(owner.getClass().getMethods())
            .filter(method -> method.getName().startsWith("set") && method.getParameterCount() == 1
                && isSimple(method.getParameterTypes()[0]))
            .map(method -> method.getName().substring(3)).filter(setter -> resembles(setter, name))
            .map(setter -> setter.substring(0, 1).toLowerCase(Locale.ROOT) + setter.substring(1)).distinct().sorted().toList();
        return new IllegalArgumentException("Broker property '" + path + "' is unknown: "
            + owner.getClass().getSimpleName() + " has no '" + name + "'"
            + (known.isEmpty() ? "."
                : "; did you mean " + String.join(" or ", known.subList(0, Math.min(3, known.size()))) + "?"));
    }

    private static boolean resembles(String known, String given) {
        String a = known.toLowerCase(Locale.ROOT);
        String b = given.toLowerCase(Locale.ROOT);
        return a.contains(b) || b.contains(a) || a.regionMatches(0, b, 0, Math.max(4, Math.min(a.length(), b.length()) * 2 / 3));
    }

    /** @throws IllegalArgumentException with one sentence for the user, when the value is not of the property's type */
    void set(String value) {
        Object converted = converted(setter.getParameterTypes()[0], value.strip());
        if (converted == null) {
            throw new IllegalArgumentException("Broker property '" + name + "' must be "
                + described(setter.getParameterTypes()[0]) + ", not '" + value + "'.");
        }
        try {
            setter.invoke(owner, converted);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalArgumentException(
                "Broker property '" + name + "' cannot be '" + value + "': " + cause.getMessage() + ".", cause);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException("Broker property '" + name + "' cannot be set.", e);
        }
    }

    private static boolean isSimple(Class<?> type) {
        return type == String.class || type == String[].class || type.isEnum() || type == boolean.class
            || type == Boolean.class || type == int.class || type == Integer.class || type == long.class
            || type == Long.class || type == double.class || type == float.class || type == short.class;
    }

    private static @Nullable Object converted(Class<?> type, String value) {
        try {
            if (type == String.class) {
                return value;
            }
            if (type == String[].class) {
                return value.split(",");
            }
            if (type == boolean.class || type == Boolean.class) {
                return value.equals("true") || value.equals("false") ? Boolean.valueOf(value) : null;
            }
            if (type.isEnum()) {
                return Arrays.stream(type.getEnumConstants()).filter(constant -> constant.toString().equalsIgnoreCase(value))
                    .findFirst().orElse(null);
            }
            if (type == double.class) {
                return Double.valueOf(value);
            }
            if (type == float.class) {
                return Float.valueOf(value);
            }
            long number = number(value);
            return type == long.class || type == Long.class ? (Object) number
                : type == short.class ? (Object) (short) number : (Object) Math.toIntExact(number);
        } catch (NumberFormatException | ArithmeticException e) {
            return null;
        }
    }

    private static long number(String value) {
        Matcher size = SIZE.matcher(value);
        if (!size.matches()) {
            return Long.parseLong(value);
        }
        int shift = switch (size.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 10;
            case "m" -> 20;
            default -> 30;
        };
        return Math.multiplyExact(Long.parseLong(size.group(1)), 1L << shift);
    }

    private static String described(Class<?> type) {
        if (type.isEnum()) {
            return "one of " + String.join(", ", Arrays.stream(type.getEnumConstants()).map(Object::toString).toList());
        }
        return type == boolean.class || type == Boolean.class ? "true or false" : "a number";
    }

    private static String capitalized(String name) {
        return name.isEmpty() ? name : Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
