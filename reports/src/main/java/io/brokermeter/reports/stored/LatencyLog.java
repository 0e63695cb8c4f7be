package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.DataFormatException;

import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Reads the interval log of a run line by line, so that a log that was cut off yields the lines before the cut. */
final class LatencyLog {

    private static final String TAG = "Tag=";
    private static final String WARMUP = "warmup-";
    private static final Map<String, Metric> METRICS = metrics();

    private LatencyLog() {}

    private static Map<String, Metric> metrics() {
        Map<String, Metric> all = new HashMap<>();
        for (Metric metric : Metric.values()) {
            all.put(metric.tag(), metric);
        }
        return all;
    }

    /**
     * Passes on every line with samples of a time that this version knows, in the order of the file.
     *
     * @param from offset of the first byte of a line
     * @param to offset behind the last byte of a line, or a larger one than the file has
     * @param shown selects the times to read
     * @return the number of lines that could not be read
     * @throws IOException if the file cannot be read
     */
    static long read(Path file, long from, long to, Predicate<Metric> shown, Consumer<LoggedSamples> samples) throws IOException {
        return StoredLines.read(file, from, to, line -> {
            if (!line.startsWith(TAG)) {
                return;
            }
            String[] cells = cells(line);
            boolean warmup = cells[0].startsWith(WARMUP, TAG.length());
            Metric metric = metric(cells[0]);
            if (metric != null && shown.test(metric)) {
                samples.accept(
                    new LoggedSamples(Double.parseDouble(cells[1]), Double.parseDouble(cells[2]), metric, warmup, decode(cells[4])));
            }
        });
    }

    private static @Nullable Metric metric(String cell) {
        String tag = cell.substring(TAG.length());
        return METRICS.get(tag.startsWith(WARMUP) ? tag.substring(WARMUP.length()) : tag);
    }

    private static String[] cells(String line) {
        String[] cells = line.split(",", 5);
        if (cells.length < 5) {
            throw new IllegalArgumentException("This line was cut off");
        }
        return cells;
    }

    /**
     * Appends every line that can be read to a text, except for times that are not shown, and returns the number of lines
     * that cannot be read.
     */
    static long lines(Path file, Predicate<Metric> shown, StringBuilder text) throws IOException {
        return StoredLines.read(file, line -> {
            if (line.startsWith(TAG)) {
                String[] cells = cells(line);
                decode(cells[4]);
                Metric metric = metric(cells[0]);
                if (metric != null && !shown.test(metric)) {
                    return;
                }
            }
            text.append(line).append('\n');
        });
    }

    private static Histogram decode(String base64) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("This is no histogram", e);
        }
    }
}
