package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.DataFormatException;

import io.brokermeter.engine.recording.Metric;
import org.HdrHistogram.Histogram;

/** Reads the interval log of a run, line by line, so that one that was cut off gives what it holds. */
final class LatencyLog {

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
     * Hands over every line with samples of a time that this version knows, in the order of the file.
     *
     * @return how many lines could not be read
     * @throws IOException when the file cannot be read
     */
    static long read(Path file, Consumer<LoggedSamples> samples) throws IOException {
        return StoredLines.read(file, line -> {
            if (!line.startsWith("Tag=")) {
                return;
            }
            String[] cells = cells(line);
            String tag = cells[0].substring(4);
            boolean warmup = tag.startsWith(WARMUP);
            Metric metric = METRICS.get(warmup ? tag.substring(WARMUP.length()) : tag);
            if (metric != null) {
                samples.accept(
                    new LoggedSamples(Double.parseDouble(cells[1]), Double.parseDouble(cells[2]), metric, warmup, decode(cells[4])));
            }
        });
    }

    private static String[] cells(String line) {
        String[] cells = line.split(",", 5);
        if (cells.length < 5) {
            throw new IllegalArgumentException("This line was cut off");
        }
        return cells;
    }

    /** Adds every line that can be read to a text, and returns how many cannot. */
    static long lines(Path file, StringBuilder text) throws IOException {
        return StoredLines.read(file, line -> {
            if (line.startsWith("Tag=")) {
                decode(cells(line)[4]);
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
