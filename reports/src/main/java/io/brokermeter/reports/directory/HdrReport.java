package io.brokermeter.reports.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.FileReport;
import io.brokermeter.reports.ReportFile;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Writes an HdrHistogram interval log, format 1.3: one line for each interval, metric and phase that has samples.
 * Values are microseconds with 3 significant digits. Tags are those of {@link Metric#tag()}, with {@code warmup-} in
 * front for messages intended in the warm-up, so the lines of one interval may carry both.
 *
 * <p>StartTime and BaseTime are the beginning of the first interval, and lines count their seconds from there, which is
 * the form that every reader of such logs resolves to the same absolute times.
 *
 * <p>Lines are written here and not with {@code HistogramLogWriter}, which hides a full disk.
 */
public final class HdrReport extends FileReport {

    private static final String WARMUP = "warmup-";
    private static final int DIGITS = 3;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Histogram micros = new Histogram(DIGITS);
    private ByteBuffer encoded = ByteBuffer.allocate(1 << 12);
    /** Start of the first interval, in milliseconds since the epoch; -1 before the header is written. */
    private long baseMillis = -1;
    private boolean failed;

    private HdrReport(ReportFile file) {
        super(file);
    }

    /**
     * Creates the file or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be written
     */
    public static HdrReport open(Path path) {
        return new HdrReport(ReportFile.open("--hdr", path));
    }

    /** Creates a report in a file that no option named. */
    static HdrReport ofRun(Path path) {
        return new HdrReport(ReportFile.open("", path));
    }

    @Override
    public void interval(Interval interval) throws IOException {
        StringBuilder lines = new StringBuilder();
        long base = baseMillis;
        if (base < 0) {
            base = interval.startEpochNanos() / 1_000_000;
            head(lines, base);
        }
        String times = String.format(Locale.ROOT, "%.3f,%.3f",
            (interval.startEpochNanos() / 1_000_000 - base) / MILLIS_PER_SECOND,
            (interval.endEpochNanos() - interval.startEpochNanos()) / 1e9);
        samples(lines, WARMUP, interval.warmupSamples(), times);
        samples(lines, "", interval.measured(), times);
        write(lines);
        baseMillis = base;
    }

    /** Writes the accuracy of times between machines, which a run reports at its end, as a comment that readers skip. */
    @Override
    public void event(Event event) throws IOException {
        String worth = RunDirectory.oneWay(event);
        if (worth != null && !failed) {
            write(new StringBuilder("#[").append(RunDirectory.ONE_WAY).append(": ").append(worth).append("]\n"));
        }
    }

    @Override
    public void finished(RunResult result) throws IOException {
        if (baseMillis < 0 && !failed) {
            StringBuilder lines = new StringBuilder();
            head(lines, result.start().toEpochMilli());
            write(lines);
        }
    }

    private void write(StringBuilder lines) throws IOException {
        try {
            file.append(lines.toString());
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    private static void head(StringBuilder b, long millis) {
        String seconds = String.format(Locale.ROOT, "%.3f", millis / MILLIS_PER_SECOND);
        b.append("#[Times of messages by brokermeter, in microseconds; Interval_Max in milliseconds]\n")
            .append("#[Histogram log format version 1.3]\n")
            .append("#[StartTime: ").append(seconds).append(" (seconds since epoch), ")
            .append(Instant.ofEpochMilli(millis)).append("]\n")
            .append("#[BaseTime: ").append(seconds).append(" (seconds since epoch)]\n")
            .append("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    }

    private void samples(StringBuilder b, String prefix, Map<Metric, Distribution> distributions, String times) {
        for (Metric metric : Metric.values()) {
            Distribution d = distributions.get(metric);
            if (d != null && d.count() > 0) {
                toMicros(d.histogram());
                b.append("Tag=").append(prefix).append(metric.tag()).append(',').append(times).append(',')
                    .append(String.format(Locale.ROOT, "%.3f", micros.getMaxValue() / 1e3)).append(',')
                    .append(encode()).append('\n');
            }
        }
    }

    private void toMicros(Histogram nanos) {
        micros.reset();
        for (HistogramIterationValue v : nanos.recordedValues()) {
            long middle = nanos.medianEquivalentValue(v.getValueIteratedTo());
            micros.recordValueWithCount((middle + 500) / 1000, v.getCountAtValueIteratedTo());
        }
    }

    private String encode() {
        int needed = micros.getNeededByteBufferCapacity();
        if (encoded.capacity() < needed) {
            encoded = ByteBuffer.allocate(needed);
        }
        encoded.clear();
        int length = micros.encodeIntoCompressedByteBuffer(encoded);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(encoded.array(), length));
    }
}
