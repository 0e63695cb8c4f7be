package io.brokermeter.engine.recording;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    /** A histogram for samples of runs, without any. */
    public static Histogram empty() {
        return new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    }

    /** The samples of several together, in a histogram of its own. */
    public static Distribution sum(Collection<Distribution> parts) {
        Histogram all = empty();
        parts.forEach(part -> all.add(part.histogram));
        return new Distribution(all, parts.stream().mapToLong(Distribution::negative).sum(),
            parts.stream().mapToLong(Distribution::clamped).sum());
    }

    /** The same for each metric. */
    public static Map<Metric, Distribution> sums(Collection<Map<Metric, Distribution>> parts) {
        Map<Metric, Distribution> all = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            List<Distribution> some = parts.stream().map(part -> part.get(metric)).filter(Objects::nonNull).toList();
            if (!some.isEmpty()) {
                all.put(metric, sum(some));
            }
        }
        return all;
    }

    /** Number of samples. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** Mean of the samples, in nanoseconds. */
    public double meanNanos() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMean();
    }

    /** Greatest sample, in nanoseconds. */
    public long maxNanos() {
        return histogram.getMaxValue();
    }

    /** The value at a percentile, from 0 to 100, in nanoseconds. */
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
