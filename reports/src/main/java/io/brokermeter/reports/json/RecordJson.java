package io.brokermeter.reports.json;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;

import io.brokermeter.reports.document.JsonText;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Converts records to JSON objects and back, without loss: the record that is read equals the one that was written. The caller names the
 * type of the record, and the types of its components determine all the rest; no text names a class except one of those that a sealed
 * type permits, by its simple name under {@code "@type"}. So reading a text creates no objects but those that the caller asked for.
 *
 * <p>Components may be records, sealed interfaces of records and enums, enums, texts, numbers and booleans, {@link Duration}, {@link Instant},
 * {@link BitSet}, histograms, arrays, lists, sets, and maps whose keys are texts, enums or whole numbers. Those without {@code @Nullable}
 * must be present. Lists, sets and maps that were read keep their order and cannot be changed. Whole numbers are exact up to 64 bits, and
 * numbers that JSON does not have are the texts {@code NaN}, {@code Infinity} and {@code -Infinity}; bytes, bits and histograms are
 * base64, the latter in HdrHistogram's compressed form V2.
 *
 * <p>Thread-safe; keeps nothing between calls.
 */
public final class RecordJson {

    private static final String TYPE = "@type";
    private static final String CONSTANT = "constant";
    /** The minimum range to decode a histogram with: its range is in the text, and never has to be raised. */
    private static final long LEAST_RANGE = 2;
    /** Types with a JSON form, apart from primitive types, arrays, enums, records and sealed types. */
    private static final Set<Class<?>> KNOWN = Set.of(String.class, Boolean.class, Character.class, Double.class, Float.class, Long.class,
        Integer.class, Short.class, Byte.class, Duration.class, Instant.class, BitSet.class, Histogram.class, List.class, Set.class,
        Map.class);

    private RecordJson() {}

    /**
     * Returns a record as text on one line.
     *
     * @throws IllegalArgumentException if a type in it has no JSON form, or a component that must be present is null
     */
    public static String text(Record record) {
        return JsonText.of(tree(record));
    }

    /** Returns a record in the form of {@link JsonText}, for use within another object. */
    public static Map<String, @Nullable Object> tree(Record record) {
        return new Types(Map.of()).fields(record);
    }

    /**
     * Reads a record from a text that {@link #text} has written.
     *
     * @throws IllegalArgumentException if the text is not a record of this type, with one sentence that names the place, and what is
     *     missing, unknown or of another form
     */
    public static <R extends Record> R read(Class<R> type, String text) {
        return of(type, JsonText.read(text));
    }

    /** Reads a record from the result of {@link #tree}, also as read by JsonText; otherwise as {@link #read}. */
    public static <R extends Record> R of(Class<R> type, Map<String, ? extends @Nullable Object> tree) {
        return type.cast(new Types(Map.of()).record(type, tree, type.getSimpleName(), false));
    }

    /**
     * Converts the components of one record by their types.
     *
     * @param variables types of the record's type variables
     */
    private record Types(Map<TypeVariable<?>, AnnotatedType> variables) {

        // ---- writing ----

        Map<String, @Nullable Object> fields(Record record) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            Map<String, @Nullable Object> values = JsonText.components(record);
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                fields.put(component.getName(), written(component.getAnnotatedType(), values.get(component.getName()),
                    record.getClass().getSimpleName() + "." + component.getName()));
            }
            return fields;
        }

        @Nullable Object written(AnnotatedType declared, @Nullable Object value, String place) {
            AnnotatedType type = resolved(declared);
            if (value == null) {
                if (isNullable(declared) || isNullable(type)) {
                    return null;
                }
                throw new IllegalArgumentException(place + " is null, which it must not be");
            }
            Class<?> raw = raw(type, place);
            return switch (value) {
                case String text -> text;
                case Boolean flag -> flag;
                case Character one -> one.toString();
                case Double number -> Double.isFinite(number) ? number : number.toString();
                case Float number -> Float.isFinite(number) ? (Object) number.doubleValue() : number.toString();
                case Long number -> number;
                case Integer number -> number.longValue();
                case Short number -> number.longValue();
                case Byte number -> number.longValue();
                case Enum<?> constant when raw.isSealed() -> Map.of(TYPE, named(raw, constant.getDeclaringClass(), place), CONSTANT,
                    constant.name());
                case Enum<?> constant -> constant.name();
                case Duration time -> time.toString();
                case Instant moment -> moment.toString();
                case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
                case BitSet bits -> Base64.getEncoder().encodeToString(bits.toByteArray());
                case Histogram histogram -> writtenHistogram(histogram);
                case Record record -> writtenRecord(type, raw, record, place);
                case Map<?, ?> map -> writtenMap(type, map, place);
                case Collection<?> all -> writtenItems(argument(type, 0, place), all, place);
                default -> {
                    List<@Nullable Object> items = new ArrayList<>();
                    for (int i = 0; i < Array.getLength(value); i++) {
                        items.add(Array.get(value, i));
                    }
                    yield writtenItems(((AnnotatedArrayType) type).getAnnotatedGenericComponentType(), items, place);
                }
            };
        }

        private Map<String, @Nullable Object> writtenRecord(AnnotatedType type, Class<?> raw, Record record, String place) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            if (raw.isSealed()) {
                fields.put(TYPE, named(raw, record.getClass(), place));
            } else if (raw != record.getClass()) {
                throw new IllegalArgumentException(place + " is of the type " + raw.getName() + ", which may be anything");
            }
            fields.putAll(inside(type, record.getClass()).fields(record));
            return fields;
        }

        /** Returns the name of one of the types that a sealed type permits. */
        private static String named(Class<?> sealed, Class<?> one, String place) {
            if (permitted(sealed).get(one.getSimpleName()) != one) {
                throw new IllegalArgumentException(place + " is a " + one.getName() + ", which no name stands for");
            }
            return one.getSimpleName();
        }

        private Map<String, @Nullable Object> writtenMap(AnnotatedType type, Map<?, ?> map, String place) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            AnnotatedType values = argument(type, 1, place);
            map.forEach((key, value) -> {
                String name = key instanceof Enum<?> constant ? constant.name() : String.valueOf(key);
                fields.put(name, written(values, value, place + "." + name));
            });
            // fails for a key that could not be read again
            fields.keySet().forEach(name -> key(raw(resolved(argument(type, 0, place)), place), name, place));
            return fields;
        }

        private List<@Nullable Object> writtenItems(AnnotatedType type, Collection<?> all, String place) {
            List<@Nullable Object> items = new ArrayList<>();
            all.forEach(one -> items.add(written(type, one, place + "[" + items.size() + "]")));
            return items;
        }

        private static String writtenHistogram(Histogram histogram) {
            ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            int length = histogram.encodeIntoCompressedByteBuffer(buffer);
            return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
        }

        // ---- reading ----

        @Nullable Object read(AnnotatedType declared, @Nullable Object tree, String place) {
            AnnotatedType type = resolved(declared);
            if (tree == null) {
                if (isNullable(declared) || isNullable(type)) {
                    return null;
                }
                throw wrong(place, "must not be null");
            }
            Class<?> raw = raw(type, place);
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
                return Collections.unmodifiableList(items(argument(type, 0, place), tree, place));
            } else if (raw == Set.class) {
                return set(items(argument(type, 0, place), tree, place), place);
            } else if (raw == Map.class) {
                return map(type, object(tree, place), place);
            } else if (raw.isSealed()) {
                Map<String, Class<?>> permitted = permitted(raw);
                Map<String, @Nullable Object> fields = object(tree, place);
                Object name = fields.get(TYPE);
                Class<?> one = name instanceof String known ? permitted.get(known) : null;
                if (one == null) {
                    throw wrong(place, (name == null ? "has no " + TYPE : "is of the unknown type '" + name + "'") + "; there are "
                        + String.join(", ", permitted.keySet()));
                }
                return one.isEnum() ? constant(one, fields.get(CONSTANT) instanceof String constant ? constant : "", place)
                    : inside(type, one).record(one, fields, place, true);
            } else if (raw.isRecord()) {
                return inside(type, raw).record(raw, object(tree, place), place, false);
            }
            throw noForm(raw, place);
        }

        /** @param named whether the fields include the name of the type */
        Object record(Class<?> type, Map<String, ? extends @Nullable Object> fields, String place, boolean named) {
            RecordComponent[] components = type.getRecordComponents();
            Set<String> unknown = new LinkedHashSet<>(fields.keySet());
            if (named) {
                unknown.remove(TYPE);
            }
            Class<?>[] types = new Class<?>[components.length];
            @Nullable Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                String name = components[i].getName();
                if (!unknown.remove(name)) {
                    throw wrong(place, "has no '" + name + "'");
                }
                types[i] = components[i].getType();
                values[i] = read(components[i].getAnnotatedType(), fields.get(name), place + "." + name);
            }
            if (!unknown.isEmpty()) {
                throw wrong(place, "has '" + unknown.iterator().next() + "', which " + type.getSimpleName() + " does not know");
            }
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(types);
                constructor.setAccessible(true);
                return constructor.newInstance(values);
            } catch (InvocationTargetException e) {
                throw new IllegalArgumentException(place + " is refused: " + e.getTargetException().getMessage(), e.getTargetException());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(type + " cannot be made", e);
            }
        }

        private Map<Object, @Nullable Object> map(AnnotatedType type, Map<String, @Nullable Object> fields, String place) {
            Class<?> keys = raw(resolved(argument(type, 0, place)), place);
            AnnotatedType values = argument(type, 1, place);
            Map<Object, @Nullable Object> map = new LinkedHashMap<>();
            fields.forEach((name, value) -> map.put(key(keys, name, place), read(values, value, place + "." + name)));
            return Collections.unmodifiableMap(map);
        }

        private static Object key(Class<?> type, String name, String place) {
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

        private static Map<String, @Nullable Object> object(Object tree, String place) {
            if (!(tree instanceof Map)) {
                throw otherForm(place, "an object", tree);
            }
            return JsonText.map(tree);
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

        // ---- types ----

        /** Returns the types for a record that is the type of a component, with its type variables bound. */
        private Types inside(AnnotatedType type, Class<?> record) {
            if (record.getTypeParameters().length == 0) {
                return new Types(Map.of());
            }
            Map<TypeVariable<?>, AnnotatedType> known = new LinkedHashMap<>();
            for (int i = 0; i < record.getTypeParameters().length; i++) {
                known.put(record.getTypeParameters()[i], resolved(argument(type, i, record.getSimpleName())));
            }
            return new Types(known);
        }

        /** Returns a type without variables and wildcards at its top level. */
        private AnnotatedType resolved(AnnotatedType type) {
            return switch (type) {
                case AnnotatedTypeVariable variable -> {
                    AnnotatedType known = variables.get((TypeVariable<?>) variable.getType());
                    if (known == null) {
                        throw new IllegalArgumentException("Nothing says what " + variable.getType() + " is");
                    }
                    yield known;
                }
                case AnnotatedWildcardType wildcard -> resolved(wildcard.getAnnotatedUpperBounds()[0]);
                default -> type;
            };
        }

        private static AnnotatedType argument(AnnotatedType type, int number, String place) {
            if (type instanceof AnnotatedParameterizedType generic
                && generic.getAnnotatedActualTypeArguments().length > number) {
                return generic.getAnnotatedActualTypeArguments()[number];
            }
            throw new IllegalArgumentException(place + " does not say of what it is made");
        }

        private static Class<?> raw(AnnotatedType type, String place) {
            if (type instanceof AnnotatedArrayType array) {
                return raw(array.getAnnotatedGenericComponentType(), place).arrayType();
            }
            Type plain = type.getType() instanceof ParameterizedType generic ? generic.getRawType() : type.getType();
            if (plain instanceof Class<?> one && (one.isPrimitive() || one.isArray() || one.isEnum() || one.isRecord() || one.isSealed()
                || KNOWN.contains(one))) {
                return one;
            }
            throw noForm(plain, place);
        }

        private static IllegalArgumentException noForm(Type type, String place) {
            return new IllegalArgumentException(place + " is of the type " + type.getTypeName() + ", which has no form in JSON");
        }

        private static boolean isNullable(AnnotatedType type) {
            return type.isAnnotationPresent(Nullable.class);
        }

        /** Returns the records and enums that a sealed type permits, directly or indirectly, by their simple names. */
        private static Map<String, Class<?>> permitted(Class<?> sealed) {
            Map<String, Class<?>> permitted = new LinkedHashMap<>();
            collect(sealed, permitted);
            return permitted;
        }

        private static void collect(Class<?> type, Map<String, Class<?>> into) {
            if (type.isSealed()) {
                Arrays.stream(type.getPermittedSubclasses()).forEach(one -> collect(one, into));
            } else if (!type.isRecord() && !type.isEnum() || !type.equals(into.computeIfAbsent(type.getSimpleName(), _ -> type))) {
                throw new IllegalArgumentException(type.getName() + " is neither a record nor an enum, or has the name of another one");
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
}
