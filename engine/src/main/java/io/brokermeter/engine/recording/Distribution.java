package io.brokermeter.engine.recording;

import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * One metric's samples: the histogram (nanoseconds, 3 significant digits) and what could not be put in it.
 *
 * @param histogram samples in nanoseconds; belongs to the receiver of a result, but in an {@link Interval} it is only
 *     valid during the call that hands it over
 * @param negative samples below zero, counted and left out: clocks that differ, or messages older than the run
 * @param clamped samples above the histogram's range, recorded at its upper end
 */
public record Distribution(Histogram histogram, long negative, long clamped) {

    /** The percentiles that are printed. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

    public long count() {
        return histogram.getTotalCount();
    }

    public double meanNanos() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMean();
    }

    public long maxNanos() {
        return histogram.getMaxValue();
    }

    public long nanosAt(double percentile) {
        return histogram.getValueAtPercentile(percentile);
    }

    /**
     * Whether enough samples stand behind a percentile: at least ten beyond it, so p99.9 needs 10,000 samples. A report
     * prints no percentile without them.
     */
    public boolean supports(double percentile) {
        // The tolerance keeps 100 x (100 - 99.99) from being 0.9999...
        return percentile <= 50 ? count() > 0 : count() * (100.0 - percentile) / 100.0 >= 10 - 1e-6;
    }
}
