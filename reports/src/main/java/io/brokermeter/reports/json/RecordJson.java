package io.brokermeter.reports.json;

import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;

import io.brokermeter.reports.document.JsonText;
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
 * <p>Thread-safe.
 */
public final class RecordJson {

    private RecordJson() {}

    /**
     * Returns a record as text on one line.
     *
     * @throws IllegalArgumentException if a type in it has no JSON form, or a component that must be present is null
     */
    public static String text(Record record) {
        return JsonText.object(json -> new RecordWriter(json, RecordTypes.NONE).fields(record));
    }

    /** Returns one of the records that a sealed type permits as text on one line, with its name. */
    public static <S> String text(Class<S> sealed, S record) {
        return JsonText.object(
            json -> new RecordWriter(json, RecordTypes.NONE).record(null, sealed, (Record) record, sealed.getSimpleName()));
    }

    /**
     * Reads a record, or one of those that a sealed type permits, from a text that {@code text} has written.
     *
     * @throws IllegalArgumentException if the text is not a record of this type, with one sentence that names the place, and what is
     *     missing, unknown or of another form
     */
    public static <R> R read(Class<R> type, String text) {
        RecordReader reader = new RecordReader(RecordTypes.NONE);
        return type.cast(type.isSealed() ? reader.permitted(null, type, JsonText.read(text), type.getSimpleName())
            : reader.record(type, JsonText.read(text), type.getSimpleName(), false));
    }
}
