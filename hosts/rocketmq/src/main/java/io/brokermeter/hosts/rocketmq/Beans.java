package io.brokermeter.hosts.rocketmq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Sets properties of configuration objects by their names. */
final class Beans {

    private Beans() { }

    /**
     * Sets each property on every object that has it.
     *
     * @throws IllegalArgumentException with one sentence, when none has it, or its value is not of the right form
     */
    static void set(Map<String, String> properties, List<?> beans) {
        properties.forEach((name, value) -> {
            boolean known = false;
            for (Object bean : beans) {
                Method setter = setter(bean.getClass(), name);
                if (setter != null) {
                    call(bean, setter, name, value);
                    known = true;
                }
            }
            if (!known) {
                throw new IllegalArgumentException("RocketMQ's brokers have no property '" + name + "'" + nearest(name, beans));
            }
        });
    }

    private static @Nullable Method setter(Class<?> type, String name) {
        String wanted = "set" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        Method found = null;
        for (Method method : type.getMethods()) {
            if (method.getName().equals(wanted) && method.getParameterCount() == 1 && isSimple(method.getParameterTypes()[0])
                && (found == null || method.getParameterTypes()[0] == String.class)) {
                found = method;
            }
        }
        return found;
    }

    private static boolean isSimple(Class<?> type) {
        return type.isPrimitive() || type == String.class || type.isEnum();
    }

    private static void call(Object bean, Method setter, String name, String value) {
        Class<?> type = setter.getParameterTypes()[0];
        try {
            setter.invoke(bean, parsed(type, value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Property " + name + " must be " + form(type) + ", not '" + value + "'.", e);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("Property " + name + " cannot be '" + value + "': " + e.getCause() + ".", e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object parsed(Class<?> type, String value) {
        return switch (type.getName()) {
            case "java.lang.String" -> value;
            case "boolean" -> constant(List.of(true, false), value);
            case "int" -> Integer.valueOf(value);
            case "long" -> Long.valueOf(value);
            case "double" -> Double.valueOf(value);
            case "float" -> Float.valueOf(value);
            default -> constant(type.getEnumConstants() == null ? List.of() : List.of(type.getEnumConstants()), value);
        };
    }

    private static Object constant(List<?> constants, String value) {
        return constants.stream().filter(constant -> constant instanceof Enum<?> known ? known.name().equalsIgnoreCase(value)
            : constant.toString().equals(value)).findFirst().orElseThrow(() -> new IllegalArgumentException(value));
    }

    private static String form(Class<?> type) {
        if (type.isEnum()) {
            List<String> names = new ArrayList<>();
            for (Object constant : type.getEnumConstants()) {
                names.add(((Enum<?>) constant).name());
            }
            return "one of " + String.join(", ", names);
        }
        return type == boolean.class ? "true or false" : "a number";
    }

    /** The name that shares most of its beginning and end with what was asked for. */
    private static String nearest(String name, List<?> beans) {
        return beans.stream().flatMap(bean -> List.of(bean.getClass().getMethods()).stream())
            .map(Method::getName).filter(method -> method.startsWith("set") && method.length() > 4)
            .map(method -> method.substring(3, 4).toLowerCase(Locale.ROOT) + method.substring(4)).distinct()
            .max(Comparator.comparingInt(candidate -> shared(candidate, name)))
            .filter(candidate -> shared(candidate, name) * 2 > name.length())
            .map(candidate -> "; did you mean " + candidate + "?").orElse(".");
    }

    private static int shared(String a, String b) {
        int start = 0;
        int least = Math.min(a.length(), b.length());
        while (start < least && Character.toLowerCase(a.charAt(start)) == Character.toLowerCase(b.charAt(start))) {
            start++;
        }
        int end = 0;
        while (end < least - start && Character.toLowerCase(a.charAt(a.length() - 1 - end))
            == Character.toLowerCase(b.charAt(b.length() - 1 - end))) {
            end++;
        }
        return start + end;
    }
}
