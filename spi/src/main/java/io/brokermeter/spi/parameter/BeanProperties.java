package io.brokermeter.spi.parameter;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Finds the properties of a client library's classes whose setters take a number, a string, a boolean or an enum constant, and parses
 * their values.
 */
public final class BeanProperties {

    /** The parameter types of setters, the preferred one of several setters with the same name first; enums come last. */
    private static final List<Class<?>> SIMPLE = List.of(String.class, int.class, long.class, short.class, boolean.class, Boolean.class,
        double.class, float.class);

    private BeanProperties() {}

    /** Returns the setters of a class by the names of their properties. */
    public static Map<String, Method> of(Class<?> type) {
        Map<String, Method> setters = new TreeMap<>();
        for (Method method : type.getMethods()) {
            String name = method.getName();
            if (name.startsWith("set") && name.length() > 3 && method.getParameterCount() == 1 && rank(method) >= 0) {
                setters.merge(Character.toLowerCase(name.charAt(3)) + name.substring(4), method,
                    (one, other) -> rank(other) < rank(one) ? other : one);
            }
        }
        return setters;
    }

    private static int rank(Method setter) {
        Class<?> type = setter.getParameterTypes()[0];
        return type.isEnum() ? SIMPLE.size() : SIMPLE.indexOf(type);
    }

    /** Returns the types of the properties of a class by the names of the properties. */
    public static Map<String, Class<?>> types(Class<?> type) {
        return of(type).entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().getParameterTypes()[0]));
    }

    /**
     * Parses the value of a property.
     *
     * @param type the type of the property
     * @throws IllegalArgumentException for a text that is no such value; its message is the form that the text must have: "a number"
     */
    public static Object parse(Class<?> type, String text) {
        try {
            if (type == int.class) {
                return Integer.valueOf(text);
            } else if (type == long.class) {
                return Long.valueOf(text);
            } else if (type == short.class) {
                return Short.valueOf(text);
            } else if (type == double.class) {
                return Double.valueOf(text);
            } else if (type == float.class) {
                return Float.valueOf(text);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a number", e);
        }
        if (type == boolean.class || type == Boolean.class) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new IllegalArgumentException("true or false");
            }
            return Boolean.valueOf(text);
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).filter(word -> word.toString().equalsIgnoreCase(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("one of "
                    + Arrays.stream(type.getEnumConstants()).map(Object::toString).collect(Collectors.joining(", "))));
        }
        return text;
    }
}
