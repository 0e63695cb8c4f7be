package io.brokermeter.reports.json;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.RecordForm;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Converts the components of one record to JSON by their types, for {@link RecordJson}.
 *
 * @param types the types of the record
 */
record RecordWriter(RecordTypes types) {

    Map<String, @Nullable Object> fields(Record record) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (RecordComponent component : RecordForm.of(record.getClass()).components()) {
            fields.put(component.getName(), written(component.getAnnotatedType(), RecordForm.value(component, record),
                record.getClass().getSimpleName() + "." + component.getName()));
        }
        return fields;
    }

    @Nullable Object written(AnnotatedType declared, @Nullable Object value, String place) {
        AnnotatedType type = types.resolved(declared);
        if (value == null) {
            if (RecordTypes.isNullable(declared) || RecordTypes.isNullable(type)) {
                return null;
            }
            throw new IllegalArgumentException(place + " is null, which it must not be");
        }
        Class<?> raw = RecordTypes.raw(type, place);
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
            case Enum<?> constant when raw.isSealed() ->
                Map.of(RecordTypes.TYPE, named(raw, constant.getDeclaringClass(), place), RecordTypes.CONSTANT,
                    constant.name());
            case Enum<?> constant -> constant.name();
            case Duration time -> time.toString();
            case Instant moment -> moment.toString();
            case byte[] bytes -> Base64.getEncoder().encodeToString(bytes);
            case BitSet bits -> Base64.getEncoder().encodeToString(bits.toByteArray());
            case Histogram histogram -> writtenHistogram(histogram);
            case Record record -> record(type, raw, record, place);
            case Map<?, ?> map -> writtenMap(type, map, place);
            case Collection<?> all -> writtenItems(RecordTypes.argument(type, 0, place), all, place);
            default -> {
                List<@Nullable Object> items = new ArrayList<>();
                for (int i = 0; i < Array.getLength(value); i++) {
                    items.add(Array.get(value, i));
                }
                yield writtenItems(((AnnotatedArrayType) type).getAnnotatedGenericComponentType(), items, place);
            }
        };
    }

    /** @param type null for a record that is no component */
    Map<String, @Nullable Object> record(@Nullable AnnotatedType type, Class<?> raw, Record record, String place) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (raw.isSealed()) {
            fields.put(RecordTypes.TYPE, named(raw, record.getClass(), place));
        } else if (raw != record.getClass()) {
            throw new IllegalArgumentException(place + " is of the type " + raw.getName() + ", which may be anything");
        }
        fields.putAll(new RecordWriter(types.inside(type, record.getClass())).fields(record));
        return fields;
    }

    /** Returns the name of one of the types that a sealed type permits. */
    private static String named(Class<?> sealed, Class<?> one, String place) {
        if (RecordTypes.permitted(sealed).get(one.getSimpleName()) != one) {
            throw new IllegalArgumentException(place + " is a " + one.getName() + ", which no name stands for");
        }
        return one.getSimpleName();
    }

    private Map<String, @Nullable Object> writtenMap(AnnotatedType type, Map<?, ?> map, String place) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        AnnotatedType values = RecordTypes.argument(type, 1, place);
        map.forEach((key, value) -> {
            String name = key instanceof Enum<?> constant ? constant.name() : String.valueOf(key);
            fields.put(name, written(values, value, place + "." + name));
        });
        // fails for a key that could not be read again
        fields.keySet()
            .forEach(name -> RecordReader.key(RecordTypes.raw(types.resolved(RecordTypes.argument(type, 0, place)), place), name, place));
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
}
