package io.brokermeter.engine.run;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.Metric;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/** Sums of intervals, in histograms that are made once and hold only the cells in use: there is one for each process and metric. Not thread-safe. */
final class IntervalSums {

    private long sent;
    private long blocked;
    private long completed;
    private long failed;
    private long received;
    private long rolledBack;
    private long requeued;
    private long rejected;
    private long unanswered;
    private long reconnects;
    private long measuredSent;
    private long measuredReceived;
    private final Map<Metric, Distribution> measured = new EnumMap<>(Metric.class);
    private int intervals;
    private final Map<String, JointIntervals.InPhase> phases = new HashMap<>();

    void add(Interval interval) {
        intervals++;
        sent += interval.sent();
        blocked += interval.blocked();
        completed += interval.completed();
        failed += interval.failed();
        received += interval.received();
        rolledBack += interval.rolledBack();
        requeued += interval.requeued();
        rejected += interval.rejected();
        unanswered += interval.unanswered();
        reconnects += interval.reconnects();
        if (!interval.warmup()) {
            measuredSent += interval.sent();
            measuredReceived += interval.received();
            if (!interval.phase().isEmpty()) {
                phases.put(interval.phase(), phases.getOrDefault(interval.phase(), JointIntervals.InPhase.NONE).and(interval));
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

    /** What was added so far; its distributions grow with what is added. */
    JointIntervals.Known known() {
        return JointIntervals.Known.of(its -> {
            its.sent = sent;
            its.blocked = blocked;
            its.completed = completed;
            its.failed = failed;
            its.received = received;
            its.rolledBack = rolledBack;
            its.requeued = requeued;
            its.rejected = rejected;
            its.unanswered = unanswered;
            its.reconnects = reconnects;
            its.measuredSent = measuredSent;
            its.measuredReceived = measuredReceived;
            its.measured = measured;
            its.intervals = intervals;
            its.phases = phases;
        });
    }
}
