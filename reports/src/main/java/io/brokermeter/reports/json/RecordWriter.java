package io.brokermeter.reports.json;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.Map;

import io.brokermeter.reports.document.RecordForm;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the components of one record as JSON by their types, for {@link RecordJson}.
 *
 * @param types the types of the record
 */
record RecordWriter(JsonGenerator json, RecordTypes types) {

    void fields(Record record) {
        for (RecordComponent component : RecordForm.of(record.getClass()).components()) {
            json.writeName(component.getName());
            write(component.getAnnotatedType(), RecordForm.value(component, record),
                record.getClass().getSimpleName() + "." + component.getName());
        }
    }

    private void write(AnnotatedType declared, @Nullable Object value, String place) {
        AnnotatedType type = types.resolved(declared);
        if (value == null) {
            if (!RecordTypes.isNullable(declared) && !RecordTypes.isNullable(type)) {
                throw new IllegalArgumentException(place + " is null, which it must not be");
            }
            json.writeNull();
            return;
        }
        Class<?> raw = RecordTypes.raw(type, place);
        switch (value) {
            case Boolean flag -> json.writeBoolean(flag);
            case Double number when Double.isFinite(number) -> json.writeNumber(number);
            case Float number when Float.isFinite(number) -> json.writeNumber(number.doubleValue());
            case Long number -> json.writeNumber(number);
            case Integer number -> json.writeNumber(number);
            case Short number -> json.writeNumber(number);
            case Byte number -> json.writeNumber(number.longValue());
            case String _,Character _,Double _,Float _,Duration _,Instant _ -> json.writeString(value.toString());
            case Enum<?> constant when raw.isSealed() -> {
                json.writeStartObject();
                json.writeStringProperty(RecordTypes.TYPE, named(raw, constant.getDeclaringClass(), place));
                json.writeStringProperty(RecordTypes.CONSTANT, constant.name());
                json.writeEndObject();
            }
            case Enum<?> constant -> json.writeString(constant.name());
            case byte[] bytes -> json.writeString(Base64.getEncoder().encodeToString(bytes));
            case BitSet bits -> json.writeString(Base64.getEncoder().encodeToString(bits.toByteArray()));
            case Histogram histogram -> json.writeString(writtenHistogram(histogram));
            case Record record -> {
                json.writeStartObject();
                record(type, raw, record, place);
                json.writeEndObject();
            }
            case Map<?, ?> map -> {
                json.writeStartObject();
                map.forEach((key, one) -> entry(type, key, one, place));
                json.writeEndObject();
            }
            case Collection<?> all -> {
                json.writeStartArray();
                int number = 0;
                for (Object one : all) {
                    write(RecordTypes.argument(type, 0, place), one, place + "[" + number++ + "]");
                }
                json.writeEndArray();
            }
            default -> {
                json.writeStartArray();
                for (int i = 0; i < Array.getLength(value); i++) {
                    write(((AnnotatedArrayType) type).getAnnotatedGenericComponentType(), Array.get(value, i), place + "[" + i + "]");
                }
                json.writeEndArray();
            }
        }
    }

    /**
     * Writes what a record has, and where its type is sealed its name.
     *
     * @param type null for a record that is no component
     */
    void record(@Nullable AnnotatedType type, Class<?> raw, Record record, String place) {
        if (raw.isSealed()) {
            json.writeStringProperty(RecordTypes.TYPE, named(raw, record.getClass(), place));
        } else if (raw != record.getClass()) {
            throw new IllegalArgumentException(place + " is of the type " + raw.getName() + ", which may be anything");
        }
        new RecordWriter(json, types.inside(type, record.getClass())).fields(record);
    }

    /** Returns the name of one of the types that a sealed type permits. */
    private static String named(Class<?> sealed, Class<?> one, String place) {
        if (RecordTypes.permitted(sealed).get(one.getSimpleName()) != one) {
            throw new IllegalArgumentException(place + " is a " + one.getName() + ", which no name stands for");
        }
        return one.getSimpleName();
    }

    private void entry(AnnotatedType type, Object key, @Nullable Object value, String place) {
        String name = key instanceof Enum<?> constant ? constant.name() : String.valueOf(key);
        // fails for a key that could not be read again
        RecordReader.key(RecordTypes.raw(types.resolved(RecordTypes.argument(type, 0, place)), place), name, place);
        json.writeName(name);
        write(RecordTypes.argument(type, 1, place), value, place + "." + name);
    }

    private static String writtenHistogram(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
