package io.brokermeter.reports.screen;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.RunShape;
import org.jspecify.annotations.Nullable;

/** Formats mean, percentiles and maximum as one line, in microseconds and in the columns of Artemis {@code perf}. */
final class LatencyLine {

    private static final int WIDTH = 9;

    private LatencyLine() {}

    /**
     * Appends a line that Artemis {@code perf} has, too, with a number in each place, since scripts parse such lines. The line
     * of {@link #few} names the percentiles with too few samples. Appends nothing for a metric that the run does not have.
     */
    static void append(StringBuilder b, String name, @Nullable Distribution d) {
        append(b, name, d, true);
    }

    /** Appends a line of brokermeter's own, with {@code n/a} for a percentile with too few samples. */
    static void appendOwn(StringBuilder b, String name, @Nullable Distribution d) {
        append(b, name, d, false);
    }

    private static void append(StringBuilder b, String name, @Nullable Distribution d, boolean numbers) {
        if (d == null) {
            return;
        }
        boolean any = numbers || d.count() > 0;
        b.append(name).append(" mean: ").append(micros(any, d.meanNanos()));
        for (double percentile : Distribution.PERCENTILES) {
            boolean known = numbers || d.supports(percentile);
            b.append(" - ").append(percent(percentile)).append(": ").append(micros(known, known ? d.nanosAt(percentile) : 0));
        }
        b.append(" - max:    ").append(micros(any, d.maxNanos()));
        if (!any) {
            b.append(" - no samples");
        }
        b.append('\n');
    }

    /** Returns the percentiles of a metric with too few samples: {@code send ack time 99.90% 99.99%}; null if there are none. */
    private static @Nullable String few(String metric, @Nullable Distribution d) {
        if (d == null) {
            return null;
        }
        if (d.count() == 0) {
            return metric + " (no samples)";
        }
        String few = Distribution.PERCENTILES.stream().filter(percentile -> !d.supports(percentile)).map(LatencyLine::percent)
            .collect(Collectors.joining(" "));
        return few.isEmpty() ? null : metric + " " + few;
    }

    /**
     * Returns the percentiles with too few samples in the lines that Artemis {@code perf} has; empty if there are none.
     *
     * @param send name of the time of a send in those lines
     */
    static String few(RunShape shape, String send, Map<Metric, Distribution> d) {
        return Stream.of(shape.scheduled() ? few("send delay", d.get(Metric.SEND_DELAY)) : null,
            shape.sends() ? few(send, d.get(Metric.SEND)) : null, shape.receives() ? few("transfer", d.get(Metric.TRANSFER)) : null)
            .filter(Objects::nonNull).collect(Collectors.joining(", "));
    }

    private static String percent(double percentile) {
        return String.format(Locale.ROOT, "%.2f%%", percentile);
    }

    private static String micros(boolean known, double nanos) {
        return Numbers.padded(known ? Numbers.fixed(nanos / 1e3, 2) : "n/a", WIDTH) + " us";
    }
}
