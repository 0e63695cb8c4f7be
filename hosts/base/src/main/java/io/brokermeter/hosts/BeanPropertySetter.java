package io.brokermeter.hosts;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Sets properties of configuration objects by their names, or by a path through their parts: {@code systemUsage.sendFailIfNoSpace}. */
public final class BeanPropertySetter {

    private static final Pattern SIZE = Pattern.compile("(-?\\d+)\\s*([kKmMgG])[bB]?");

    private BeanPropertySetter() {}

    /**
     * Sets each property on every object that has it.
     *
     * @throws RefusedProperty with one sentence for the user, if no object has a property, or its value has the wrong form
     */
    public static void set(Map<String, String> properties, Object... beans) {
        properties.forEach((path, value) -> {
            RefusedProperty unknown = null;
            boolean known = false;
            for (Object bean : beans) {
                try {
                    String last = path.substring(path.lastIndexOf('.') + 1);
                    Object owner = owner(bean, path);
                    Method setter = setters(owner).filter(method -> method.getName().equals("set" + capitalized(last)))
                        .min(Comparator.comparing(method -> type(method) != String.class))
                        .orElseThrow(() -> new Unknown(path, owner, last));
                    call(owner, setter, path, value);
                    known = true;
                } catch (Unknown e) {
                    unknown = unknown == null || String.valueOf(e.getMessage()).endsWith("?") ? e : unknown;
                }
            }
            if (!known && unknown != null) {
                throw unknown;
            }
        });
    }

    private static Object owner(Object bean, String path) {
        Object owner = bean;
        String[] names = path.split("\\.", -1);
        for (String name : Arrays.copyOf(names, names.length - 1)) {
            Object part = null;
            try {
                part = owner.getClass().getMethod("get" + capitalized(name)).invoke(owner);
            } catch (ReflectiveOperationException e) {
                // the sentence below covers it
            }
            if (part == null) {
                throw new Unknown(path, owner, name);
            }
            owner = part;
        }
        return owner;
    }

    private static Stream<Method> setters(Object bean) {
        return Arrays.stream(bean.getClass().getMethods()).filter(method -> method.getName().matches("set.+")
            && method.getParameterCount() == 1 && (type(method).isPrimitive() || type(method).isEnum()
                || List.of(String.class, String[].class, Boolean.class, Integer.class, Long.class).contains(type(method))));
    }

    private static String capitalized(String name) {
        return name.isEmpty() ? name : Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private static Class<?> type(Method setter) {
        return setter.getParameterTypes()[0];
    }

    private static String propertyOf(Method setter) {
        return setter.getName().substring(3, 4).toLowerCase(Locale.ROOT) + setter.getName().substring(4);
    }

    private static void call(Object owner, Method setter, String path, String value) {
        Class<?> type = type(setter);
        Object converted;
        try {
            converted = converted(type, value.strip());
        } catch (NumberFormatException | ArithmeticException e) {
            converted = null;
        }
        if (converted == null) {
            throw new RefusedProperty("Broker property '" + path + "' must be " + (type.isEnum()
                ? "one of " + String.join(", ", Arrays.stream(type.getEnumConstants()).map(Object::toString).toList())
                : type == boolean.class || type == Boolean.class ? "true or false" : "a number") + ", not '" + value + "'.");
        }
        try {
            setter.invoke(owner, converted);
        } catch (InvocationTargetException e) {
            throw new RefusedProperty("Broker property '" + path + "' cannot be '" + value + "': " + e.getCause() + ".", e);
        } catch (IllegalAccessException e) {
            throw new RefusedProperty("Broker property '" + path + "' cannot be set.", e);
        }
    }

    /** Converts a value; returns null for a boolean that is neither true nor false, and for an unknown enum constant. */
    private static @Nullable Object converted(Class<?> type, String value) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).filter(constant -> constant.toString().equalsIgnoreCase(value))
                .findFirst().orElse(null);
        }
        return switch (type.getSimpleName()) {
            case "String" -> value;
            case "String[]" -> value.split(",");
            case "boolean", "Boolean" -> value.equals("true") || value.equals("false") ? Boolean.valueOf(value) : null;
            case "double" -> Double.valueOf(value);
            case "float" -> Float.valueOf(value);
            case "long", "Long" -> number(value);
            case "short" -> Short.valueOf(value);
            default -> Math.toIntExact(number(value));
        };
    }

    /** Parses a number, or a size such as {@code 64m} or {@code 64 mb}. */
    private static long number(String value) {
        Matcher size = SIZE.matcher(value);
        return size.matches() ? Math.multiplyExact(Long.parseLong(size.group(1)),
            1L << 10 * (1 + "kmg".indexOf(size.group(2).toLowerCase(Locale.ROOT)))) : Long.parseLong(value);
    }

    /** Reports that an object does not have a property. */
    private static final class Unknown extends RefusedProperty {

        private static final long serialVersionUID = 1L;

        Unknown(String path, Object owner, String name) {
            super("Broker property '" + path + "' is unknown: " + owner.getClass().getSimpleName() + " has no '" + name + "'"
                + nearest(name, setters(owner).map(BeanPropertySetter::propertyOf))
                    .map(known -> "; did you mean " + known + "?").orElse("."));
        }
    }

    /** Returns the known name that most resembles an unknown one; empty if none is similar. */
    public static Optional<String> nearest(String name, Stream<String> known) {
        return known.distinct().max(Comparator.comparingInt(one -> shared(one, name))).filter(one -> shared(one, name) * 2 > name.length());
    }

    /** Returns the number of characters that two names have in common at their beginning and end, ignoring case. */
    private static int shared(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int least = Math.min(a.length(), b.length());
        int start = 0;
        while (start < least && a.charAt(start) == b.charAt(start)) {
            start++;
        }
        int end = 0;
        while (end < least - start && a.charAt(a.length() - 1 - end) == b.charAt(b.length() - 1 - end)) {
            end++;
        }
        return start + end;
    }
}
