package io.brokermeter.engine.run;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.Metric;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * Sums of intervals. Each histogram is created once and holds only the cells in use, since there is one for each process and metric. Not
 * thread-safe.
 */
final class IntervalSums {

    private final JointIntervals.Known.Values sums = new JointIntervals.Known.Values();
    private final Map<Metric, Distribution> measured = new EnumMap<>(Metric.class);
    private final Map<String, Counts> phases = new HashMap<>();

    IntervalSums() {
        sums.measured = measured;
        sums.phases = phases;
    }

    void add(Interval interval) {
        sums.intervals++;
        sums.counts = sums.counts.plus(interval.counts());
        if (!interval.warmup()) {
            sums.measuredCounts = sums.measuredCounts.plus(interval.counts());
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

    /** Returns the sums of the intervals added so far. Its distributions and phases change with further intervals, its counts do not. */
    JointIntervals.Known known() {
        return sums.known();
    }
}
