package io.brokermeter.engine.recording;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;

/**
 * The samples of one metric: a histogram (nanoseconds, 3 significant digits), and the numbers of samples outside its range.
 *
 * @param histogram samples in nanoseconds; belongs to the receiver of a result, but in an {@link Interval} it is only
 *     valid during the call that passes it
 * @param negative number of samples below zero, which are left out: clocks that differ, or messages older than the run
 * @param clamped number of samples above the histogram's range, which are recorded at its upper end
 */
public record Distribution(Histogram histogram, long negative, long clamped) {

    /** The percentiles that are printed. */
    public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

    /** Creates an empty histogram for samples of runs. */
    public static Histogram empty() {
        return new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    }

    /** Returns the samples of several distributions together, in a new histogram. */
    public static Distribution sum(Collection<Distribution> parts) {
        Histogram all = empty();
        parts.forEach(part -> all.add(part.histogram));
        return new Distribution(all, parts.stream().mapToLong(Distribution::negative).sum(),
            parts.stream().mapToLong(Distribution::clamped).sum());
    }

    /** Returns the samples of several distributions together, for each metric; the only ones as they are. */
    public static Map<Metric, Distribution> sums(Collection<Map<Metric, Distribution>> parts) {
        if (parts.size() == 1) {
            return parts.iterator().next();
        }
        Map<Metric, Distribution> all = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            List<Distribution> some = parts.stream().map(part -> part.get(metric)).filter(Objects::nonNull).toList();
            if (!some.isEmpty()) {
                all.put(metric, sum(some));
            }
        }
        return all;
    }

    /** Returns the number of samples. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** Returns the mean of the samples, in nanoseconds; 0 if there are none. */
    public double meanNanos() {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMean();
    }

    /** Returns the largest sample, in nanoseconds. */
    public long maxNanos() {
        return histogram.getMaxValue();
    }

    /** Returns the value at a percentile, from 0 to 100, in nanoseconds. */
    public long nanosAt(double percentile) {
        return histogram.getValueAtPercentile(percentile);
    }

    /**
     * Returns whether there are enough samples for a percentile: at least ten beyond it, so p99.9 needs 10,000 samples. A report
     * prints no percentile without them.
     */
    public boolean supports(double percentile) {
        // The tolerance keeps 100 x (100 - 99.99) from being 0.9999...
        return percentile <= 50 ? count() > 0 : count() * (100.0 - percentile) / 100.0 >= 10 - 1e-6;
    }
}
