package io.brokermeter.engine.run;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * Looks after each interval of several processes together at the thresholds that may end the run, as {@link ThresholdWatch} does in one process, as far
 * as intervals have them: times, counts of sends and deliveries, and mean rates from the third interval on, that of deliveries from the third with a
 * consumer on. A time from one process to another is looked at only while it says more of messages than of clocks. Not thread-safe.
 */
public final class JointThresholds {

    private final EndingThresholds ending;
    private final IntervalSums sums = new IntervalSums();
    /** Thresholds on times that clocks were known too little for. */
    private final Set<Threshold> withheld = new LinkedHashSet<>();
    private final Set<Threshold> judged = new HashSet<>();
    private final Stretch sending = new Stretch();
    private final Stretch receiving = new Stretch();
    /** When the first consumer was open, nanoseconds since the epoch. */
    private long opened = Long.MAX_VALUE;

    public JointThresholds(Scenario scenario) {
        this.ending = new EndingThresholds(scenario.thresholds());
    }

    /** Whether intervals show, while a run goes on, that a threshold which may end it is not kept. */
    public static boolean isWatched(Threshold threshold) {
        return threshold.phase() == null && switch (threshold.figure()) {
            case Threshold.Time _ -> true;
            case Threshold.Single single -> switch (single.quantity()) {
                case SENT, BLOCKED, COMPLETED, FAILED, RECEIVED, MEAN_SENT, MEAN_RECEIVED, SUCCESS_PERCENT -> true;
                default -> false;
            };
        };
    }

    /** A process has its first consumer open since {@code at}, nanoseconds since the epoch. */
    public void opened(long at) {
        opened = Math.min(opened, at);
    }

    /**
     * An interval is over. Answers once what ends the run; null for nothing.
     *
     * @param clocks how far the clocks of the processes can be apart, by what is known now
     */
    public Finding.@Nullable ThresholdMissed look(Interval interval, JointResult.ClockBound clocks) {
        sums.add(interval);
        if (!interval.warmup()) {
            sending.add(interval, Long.MIN_VALUE);
            // As in Spans: not before a consumer is there.
            receiving.add(interval, opened);
        }
        return ending.look(threshold -> isWatched(threshold) ? live(threshold, clocks) : Double.NaN);
    }

    /** Of those that may end the run, the ones on times that were never known well enough for that. */
    public List<Finding.Notice> unwatched() {
        return withheld.stream().filter(threshold -> !judged.contains(threshold))
            .map(threshold -> (Finding.Notice) new Finding.ThresholdUnwatched(threshold.text())).toList();
    }

    /** The number of the threshold that ended the run, -1 for none. */
    public int missed() {
        return ending.missed();
    }

    private double live(Threshold threshold, JointResult.ClockBound clocks) {
        JointIntervals.Known whole = sums.known();
        return switch (threshold.figure()) {
            case Threshold.Time time -> {
                Map<Metric, Distribution> times = whole.measured();
                double value = Measurements.of(time, times.get(Measurements.metric(time.timing())));
                if (!Measurements.metric(time.timing()).isOneWay() || Double.isNaN(value)) {
                    yield value;
                }
                boolean believed = clocks.isBelieved(times.get(Metric.TRANSFER));
                (believed ? judged : withheld).add(threshold);
                yield believed ? value : Double.NaN;
            }
            case Threshold.Single single -> switch (single.quantity()) {
                case SENT -> whole.sent();
                case BLOCKED -> whole.blocked();
                case COMPLETED -> whole.completed();
                case FAILED -> whole.failed();
                case RECEIVED -> whole.received();
                case MEAN_SENT -> sending.rate(whole.measuredSent());
                case MEAN_RECEIVED -> receiving.rate(whole.measuredReceived());
                case SUCCESS_PERCENT -> EndingThresholds.successPercent(whole.completed(), whole.failed());
                default -> Double.NaN;
            };
        };
    }

    /** The measured part so far, or what of it there is since a moment. */
    private static final class Stretch {

        private double seconds;
        private int intervals;

        /** @param from nanoseconds since the epoch; what was before it counts for nothing */
        void add(Interval interval, long from) {
            long begin = Math.max(interval.startEpochNanos(), from);
            if (begin < interval.endEpochNanos()) {
                seconds += (interval.endEpochNanos() - begin) / 1e9;
                intervals += begin == interval.startEpochNanos() ? 1 : 0;
            }
        }

        double rate(long count) {
            return intervals < ThresholdWatch.LEAST_INTERVALS ? Double.NaN : count / seconds;
        }
    }
}
