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
import io.brokermeter.engine.scenario.Count;
import io.brokermeter.engine.scenario.MeanRate;
import io.brokermeter.engine.scenario.Measure;
import io.brokermeter.engine.scenario.Quantity;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * Checks the thresholds that may end a run of several processes after each interval of all together, as {@link ThresholdWatch} does in one
 * process, as far as intervals have the figures: times, counts of sends and deliveries, and mean rates from the third interval on; the mean
 * rate of deliveries from the third interval that began with a consumer open. A time from one process to another is checked only while the
 * {@linkplain JointResult.ClockBound clocks} are known well enough for it. Not thread-safe.
 */
public final class JointThresholds {

    private final EndingThresholds ending;
    private final IntervalSums sums = new IntervalSums();
    /** Thresholds on times that were left unchecked at some interval, since the clocks were not known well enough. */
    private final Set<Threshold> withheld = new LinkedHashSet<>();
    private final Set<Threshold> judged = new HashSet<>();
    private final Stretch sending = new Stretch();
    private final Stretch receiving = new Stretch();
    /** The moment at which the first consumer was open, in nanoseconds since the epoch; {@link Long#MAX_VALUE} before that. */
    private long opened = Long.MAX_VALUE;

    public JointThresholds(Scenario scenario) {
        this.ending = new EndingThresholds(scenario.thresholds());
    }

    /** Returns whether a threshold can be checked against the intervals of a run that goes on. */
    public static boolean isWatched(Threshold threshold) {
        return threshold.phase() == null && switch (threshold.figure()) {
            case Threshold.Time _ -> true;
            case Threshold.Single single -> switch (single.quantity()) {
                case Count count -> count.live() == Quantity.Live.GROWS && !count.isOfLedger();
                case MeanRate _ -> true;
                case Measure measure -> measure == Measure.SUCCESS_PERCENT;
            };
        };
    }

    /** Notes that the first consumer of a process is open since {@code at}, nanoseconds since the epoch. */
    public void opened(long at) {
        opened = Math.min(opened, at);
    }

    /**
     * Adds an interval that is over, and checks the thresholds. Returns the threshold that ends the run, once; otherwise null.
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

    /** Returns a notice for each threshold that never could end the run, since clocks were never known well enough for its time. */
    public List<Finding.Notice> unwatched() {
        return withheld.stream().filter(threshold -> !judged.contains(threshold))
            .map(threshold -> (Finding.Notice) new Finding.ThresholdUnwatched(threshold.text())).toList();
    }

    /** Returns the number of the threshold that ended the run; -1 for none. */
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
                case Count count -> whole.count(count);
                case MeanRate rate ->
                    (rate.count().isOfReceivers() ? receiving : sending).rate(whole.measuredCounts().get(rate.count()));
                case Measure measure when measure == Measure.SUCCESS_PERCENT -> EndingThresholds.successPercent(whole.counts());
                case Measure _ -> Double.NaN;
            };
        };
    }

    /** The length of the measured part so far, or of the part of it since a moment, and the number of whole intervals in it. */
    private static final class Stretch {

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
            return intervals < ThresholdWatch.LEAST_INTERVALS ? Double.NaN : count / seconds;
        }
    }
}
