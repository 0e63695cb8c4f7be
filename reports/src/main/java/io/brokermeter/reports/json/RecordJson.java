package io.brokermeter.reports.json;

import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Map;

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
        return JsonText.of(tree(record));
    }

    /** Returns a record in the form of {@link JsonText}, for use within another object. */
    public static Map<String, @Nullable Object> tree(Record record) {
        return new RecordWriter(RecordTypes.NONE).fields(record);
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
        return type.cast(new RecordReader(RecordTypes.NONE).record(type, tree, type.getSimpleName(), false));
    }
}
