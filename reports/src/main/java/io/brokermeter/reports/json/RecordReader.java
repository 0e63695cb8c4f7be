package io.brokermeter.reports.json;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;

import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.RecordForm;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Makes one record of JSON by the types of its components, for {@link RecordJson}.
 *
 * @param types the types of the record
 */
record RecordReader(RecordTypes types) {

    /** The minimum range to decode a histogram with: its range is in the text, and never has to be raised. */
    private static final long LEAST_RANGE = 2;

    @Nullable Object read(AnnotatedType declared, @Nullable Object tree, String place) {
        AnnotatedType type = types.resolved(declared);
        if (tree == null) {
            if (RecordTypes.isNullable(declared) || RecordTypes.isNullable(type)) {
                return null;
            }
            throw wrong(place, "must not be null");
        }
        Class<?> raw = RecordTypes.raw(type, place);
        if (raw == String.class) {
            return string(tree, place);
        } else if (raw == boolean.class || raw == Boolean.class) {
            return flag(tree, place);
        } else if (raw == char.class || raw == Character.class) {
            return character(tree, place);
        } else if (raw == double.class || raw == Double.class) {
            return number(tree, place);
        } else if (raw == float.class || raw == Float.class) {
            return (float) number(tree, place);
        } else if (raw == long.class || raw == Long.class) {
            return whole(tree, Long.MIN_VALUE, Long.MAX_VALUE, place);
        } else if (raw == int.class || raw == Integer.class) {
            return (int) whole(tree, Integer.MIN_VALUE, Integer.MAX_VALUE, place);
        } else if (raw == short.class || raw == Short.class) {
            return (short) whole(tree, Short.MIN_VALUE, Short.MAX_VALUE, place);
        } else if (raw == byte.class || raw == Byte.class) {
            return (byte) whole(tree, Byte.MIN_VALUE, Byte.MAX_VALUE, place);
        } else if (raw.isEnum()) {
            return constant(raw, string(tree, place), place);
        } else if (raw == Duration.class || raw == Instant.class) {
            return time(raw, string(tree, place), place);
        } else if (raw == byte[].class) {
            return bytes(tree, place);
        } else if (raw == BitSet.class) {
            return BitSet.valueOf(bytes(tree, place));
        } else if (raw == Histogram.class) {
            return histogram(bytes(tree, place), place);
        } else if (raw.isArray()) {
            List<@Nullable Object> items = items(((AnnotatedArrayType) type).getAnnotatedGenericComponentType(), tree, place);
            Object array = Array.newInstance(raw.componentType(), items.size());
            for (int i = 0; i < items.size(); i++) {
                Array.set(array, i, items.get(i));
            }
            return array;
        } else if (raw == List.class) {
            return Collections.unmodifiableList(items(RecordTypes.argument(type, 0, place), tree, place));
        } else if (raw == Set.class) {
            return set(items(RecordTypes.argument(type, 0, place), tree, place), place);
        } else if (raw == Map.class) {
            return map(type, object(tree, place), place);
        } else if (raw.isSealed()) {
            return permitted(type, raw, object(tree, place), place);
        } else if (raw.isRecord()) {
            return new RecordReader(types.inside(type, raw)).record(raw, object(tree, place), place, false);
        }
        throw RecordTypes.noForm(raw, place);
    }

    /**
     * Makes one of the records and constants that a sealed type permits.
     *
     * @param type null for one that is no component
     */
    Object permitted(@Nullable AnnotatedType type, Class<?> raw, JsonObject fields, String place) {
        Map<String, Class<?>> permitted = RecordTypes.permitted(raw);
        Object name = fields.get(RecordTypes.TYPE);
        Class<?> one = name instanceof String known ? permitted.get(known) : null;
        if (one == null) {
            throw wrong(place, (name == null ? "has no " + RecordTypes.TYPE : "is of the unknown type '" + name + "'") + "; there are "
                + String.join(", ", permitted.keySet()));
        }
        return one.isEnum() ? constant(one, fields.get(RecordTypes.CONSTANT) instanceof String constant ? constant : "", place)
            : new RecordReader(types.inside(type, one)).record(one, fields, place, true);
    }

    /** @param named whether the fields include the name of the type */
    Object record(Class<?> type, JsonObject fields, String place, boolean named) {
        RecordForm form = RecordForm.of(type);
        List<RecordComponent> components = form.components();
        Set<String> unknown = new LinkedHashSet<>(fields.keySet());
        if (named) {
            unknown.remove(RecordTypes.TYPE);
        }
        @Nullable Object[] values = new Object[components.size()];
        for (int i = 0; i < components.size(); i++) {
            String name = components.get(i).getName();
            if (!unknown.remove(name)) {
                throw wrong(place, "has no '" + name + "'");
            }
            values[i] = read(components.get(i).getAnnotatedType(), fields.get(name), place + "." + name);
        }
        if (!unknown.isEmpty()) {
            throw wrong(place, "has '" + unknown.iterator().next() + "', which " + type.getSimpleName() + " does not know");
        }
        try {
            return form.make(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(place + " is refused: " + e.getTargetException().getMessage(), e.getTargetException());
        }
    }

    private Map<Object, @Nullable Object> map(AnnotatedType type, JsonObject fields, String place) {
        Class<?> keys = RecordTypes.raw(types.resolved(RecordTypes.argument(type, 0, place)), place);
        AnnotatedType values = RecordTypes.argument(type, 1, place);
        Map<Object, @Nullable Object> map = new LinkedHashMap<>();
        fields.forEach((name, value) -> map.put(key(keys, name, place), read(values, value, place + "." + name)));
        return Collections.unmodifiableMap(map);
    }

    static Object key(Class<?> type, String name, String place) {
        if (type == String.class) {
            return name;
        } else if (type.isEnum()) {
            return constant(type, name, place);
        }
        try {
            if (type == Integer.class) {
                return Integer.valueOf(name);
            } else if (type == Long.class) {
                return Long.valueOf(name);
            }
        } catch (NumberFormatException e) {
            throw wrong(place, "has the key '" + name + "', which is no whole number");
        }
        throw wrong(place, "has keys of the type " + type.getName() + ", which have no form in JSON");
    }

    private List<@Nullable Object> items(AnnotatedType type, Object tree, String place) {
        if (!(tree instanceof List<?> list)) {
            throw otherForm(place, "a list", tree);
        }
        List<@Nullable Object> items = new ArrayList<>();
        for (Object one : list) {
            items.add(read(type, one, place + "[" + items.size() + "]"));
        }
        return items;
    }

    private static JsonObject object(Object tree, String place) {
        if (!(tree instanceof JsonObject object)) {
            throw otherForm(place, "an object", tree);
        }
        return object;
    }

    private static String string(Object tree, String place) {
        if (!(tree instanceof String text)) {
            throw otherForm(place, "a text", tree);
        }
        return text;
    }

    private static boolean flag(Object tree, String place) {
        if (!(tree instanceof Boolean flag)) {
            throw otherForm(place, "true or false", tree);
        }
        return flag;
    }

    private static char character(Object tree, String place) {
        if (!(tree instanceof String text) || text.length() != 1) {
            throw otherForm(place, "one character", tree);
        }
        return text.charAt(0);
    }

    private static Set<@Nullable Object> set(List<@Nullable Object> items, String place) {
        Set<@Nullable Object> set = new LinkedHashSet<>(items);
        if (set.size() < items.size()) {
            throw wrong(place, "must not have a value twice");
        }
        return Collections.unmodifiableSet(set);
    }

    private static double number(Object tree, String place) {
        return switch (tree) {
            case Double number -> number;
            case Long number when (long) (double) number == number -> number;
            case String text when text.equals("NaN") -> Double.NaN;
            case String text when text.equals("Infinity") -> Double.POSITIVE_INFINITY;
            case String text when text.equals("-Infinity") -> Double.NEGATIVE_INFINITY;
            default -> throw otherForm(place, "a number", tree);
        };
    }

    private static long whole(Object tree, long least, long most, String place) {
        if (!(tree instanceof Long number) || number < least || number > most) {
            throw otherForm(place, "a whole number from " + least + " to " + most, tree);
        }
        return number;
    }

    private static Object constant(Class<?> type, String name, String place) {
        return Arrays.stream(type.getEnumConstants()).filter(one -> ((Enum<?>) one).name().equals(name)).findFirst()
            .orElseThrow(() -> wrong(place, "must be one of " + Arrays.stream(type.getEnumConstants())
                .map(one -> ((Enum<?>) one).name()).collect(Collectors.joining(", ")) + ", not '" + name + "'"));
    }

    private static Object time(Class<?> type, String text, String place) {
        try {
            return type == Duration.class ? Duration.parse(text) : Instant.parse(text);
        } catch (DateTimeException e) {
            throw otherForm(place, type == Duration.class ? "a time like PT1.5S" : "a moment like 2026-01-02T03:04:05Z", text);
        }
    }

    private static byte[] bytes(Object tree, String place) {
        try {
            return Base64.getDecoder().decode(string(tree, place));
        } catch (IllegalArgumentException e) {
            throw otherForm(place, "base64", tree);
        }
    }

    private static Histogram histogram(byte[] bytes, String place) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), LEAST_RANGE);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException(place + " is no histogram: " + e.getMessage(), e);
        }
    }

    private static IllegalArgumentException wrong(String place, String what) {
        return new IllegalArgumentException(place + " " + what);
    }

    /** Creates an exception that shows the value found, shortened since it may be anything. */
    private static IllegalArgumentException otherForm(String place, String form, Object found) {
        String text = String.valueOf(found);
        return wrong(place, "must be " + form + ", not " + (text.length() > 60 ? text.substring(0, 60) + "..." : text));
    }
}
