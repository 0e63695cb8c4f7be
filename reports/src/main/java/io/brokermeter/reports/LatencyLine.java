package io.brokermeter.reports;

import java.util.Locale;

import io.brokermeter.engine.recording.Distribution;
import org.jspecify.annotations.Nullable;

/** One line of mean, percentiles and maximum in microseconds, in the columns of Artemis {@code perf}. */
final class LatencyLine {

    private static final int WIDTH = 9;

    private LatencyLine() {}

    /** Appends the line; nothing for a metric that the run does not have. */
    static void append(StringBuilder b, String name, @Nullable Distribution d) {
        if (d == null) {
            return;
        }
        boolean any = d.count() > 0;
        b.append(name).append(" mean: ").append(micros(any, d.meanNanos()));
        for (double percentile : Distribution.PERCENTILES) {
            boolean supported = d.supports(percentile);
            b.append(" - ").append(String.format(Locale.ROOT, "%.2f%%: ", percentile))
                    .append(micros(supported, supported ? d.nanosAt(percentile) : 0));
        }
        b.append(" - max:    ").append(micros(any, d.maxNanos()));
        if (!any) {
            b.append(" - no samples");
        }
        b.append('\n');
    }

    private static String micros(boolean known, double nanos) {
        return Numbers.padded(known ? Numbers.fixed(nanos / 1e3, 2) : "n/a", WIDTH) + " us";
    }
}
