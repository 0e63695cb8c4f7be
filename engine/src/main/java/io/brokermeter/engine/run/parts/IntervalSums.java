package io.brokermeter.engine.run.parts;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.HasCounts;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.run.judge.EndingThresholds;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Sums of intervals: of those of a process all that is known once it is lost, of those of all what thresholds are checked against. Each
 * histogram is created once and holds only the cells in use, since there is one for each process and metric. Not thread-safe.
 */
public final class IntervalSums implements HasCounts, EndingThresholds.SoFar {

    private int intervals;
    private Counts counts = Counts.NONE;
    private Counts measuredCounts = Counts.NONE;
    private final Map<Metric, Distribution> measured = new EnumMap<>(Metric.class);
    private final Map<String, Counts> phases = new HashMap<>();
    private final MeasuredTime sending = new MeasuredTime();
    private final MeasuredTime receiving = new MeasuredTime();
    /** The moment at which the first consumer was open, in nanoseconds since the epoch; {@link Long#MAX_VALUE} before that. */
    private long opened = Long.MAX_VALUE;

    public IntervalSums() {}

    public void add(Interval interval) {
        intervals++;
        counts = counts.plus(interval.counts());
        if (!interval.warmup()) {
            measuredCounts = measuredCounts.plus(interval.counts());
            sending.add(interval, Long.MIN_VALUE);
            // As in Spans: not before a consumer is there.
            receiving.add(interval, opened);
            if (!interval.phase().isEmpty()) {
                phases.merge(interval.phase(), interval.counts(), Counts::plus);
            }
        }
        interval.measured().forEach((metric, more) -> {
            Distribution before = measured.get(metric);
            if (before != null || more.count() + more.negative() > 0) {
                Histogram all = before == null ? new PackedHistogram(1, Lane.HIGHEST, 3) : before.histogram();
                all.add(more.histogram());
                measured.put(metric, new Distribution(all, more.negative() + (before == null ? 0 : before.negative()),
                    more.clamped() + (before == null ? 0 : before.clamped())));
            }
        });
    }

    /** Notes that a consumer is open since {@code at}, nanoseconds since the epoch. */
    public void opened(long at) {
        opened = Math.min(opened, at);
    }

    /** Returns whether an interval was reported: without one, counts are unknown and not 0. */
    public boolean isAny() {
        return intervals > 0;
    }

    @Override
    public Counts counts() {
        return counts;
    }

    /** Returns what was counted in intervals that began after the warm-up. */
    Counts measuredCounts() {
        return measuredCounts;
    }

    /** Returns distributions without the warm-up, which change with further intervals. */
    Map<Metric, Distribution> measured() {
        return measured;
    }

    /**
     * Returns the number of sends whose end was not reported, at least 0: a confirmation may be counted a moment before its send has
     * returned, and must not offset a send of another process.
     */
    @Override
    public long unconfirmed() {
        return Math.max(0, sent() - completed() - failed() - rolledBack());
    }

    /** Of a phase, counts of the intervals after the warm-up that began in it. */
    @Override
    public Counts counts(@Nullable String phase) {
        return phase == null ? counts : phases.getOrDefault(phase, Counts.NONE);
    }

    @Override
    public @Nullable Distribution times(Metric metric, @Nullable String phase) {
        return phase == null ? measured.get(metric) : null;
    }

    /** From the third interval on; of deliveries from the third that began with a consumer open. */
    @Override
    public double rate(Count count, @Nullable String phase) {
        return phase == null ? (count.isOfReceivers() ? receiving : sending).rate(measuredCounts.get(count)) : Double.NaN;
    }

    /** The length of the measured part so far, or of the part of it since a moment, and the number of whole intervals in it. */
    private static final class MeasuredTime {

        private double seconds;
        private int intervals;

        /** @param from nanoseconds since the epoch; the time before does not count */
        void add(Interval interval, long from) {
            long begin = Math.max(interval.startEpochNanos(), from);
            if (begin < interval.endEpochNanos()) {
                seconds += (interval.endEpochNanos() - begin) / 1e9;
                intervals += begin == interval.startEpochNanos() ? 1 : 0;
            }
        }

        double rate(long count) {
            return intervals < EndingThresholds.LEAST_INTERVALS ? Double.NaN : count / seconds;
        }
    }
}
