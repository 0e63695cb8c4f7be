package io.brokermeter.engine.run.judge;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.run.parts.IntervalSums;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.MeanRate;
import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds that may end a run while it goes on, and the one that did. A process that executes a run alone has all their figures, see
 * {@link ThresholdWatch}; of several processes the intervals of all together have most. A time from one process to another is checked only
 * while the {@linkplain ResultMerger.ClockBound clocks} are known well enough for it. Not thread-safe.
 */
public final class EndingThresholds {

    /** The smallest number of intervals over which a mean rate is judged; means over fewer say nothing. */
    public static final int LEAST_INTERVALS = 3;

    private final List<Threshold> all;
    private final IntervalSums sums = new IntervalSums();
    /** Thresholds on times that were left unchecked at some interval, since the clocks were not known well enough. */
    private final Set<Threshold> withheld = new LinkedHashSet<>();
    private final Set<Threshold> judged = new HashSet<>();
    private int missed = -1;

    /** What was counted and timed of a run that goes on, in a phase or, where {@code phase} is null, in the whole run so far. */
    public interface SoFar {

        Counts counts(@Nullable String phase);

        /** Returns the samples since the warm-up, or of a phase; null for none. */
        @Nullable Distribution times(Metric metric, @Nullable String phase);

        /** Returns a mean rate since the warm-up, or in a phase, per second; NaN before {@link #LEAST_INTERVALS}. */
        double rate(Count count, @Nullable String phase);
    }

    public EndingThresholds(Scenario scenario) {
        this.all = scenario.thresholds();
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
        sums.opened(at);
    }

    /**
     * Adds an interval of all processes that is over, and checks the thresholds. Returns the threshold that ends the run, once; otherwise
     * null.
     *
     * @param clocks how far the clocks of the processes can be apart, by what is known now
     */
    public Finding.@Nullable ThresholdMissed look(Interval interval, ResultMerger.ClockBound clocks) {
        sums.add(interval);
        return look(sums, clocks, EndingThresholds::isWatched);
    }

    /** Checks the thresholds of a run in one process. Returns the threshold that ends the run, once; otherwise null. */
    Finding.@Nullable ThresholdMissed look(SoFar known) {
        return look(known, ResultMerger.ClockBound.NONE, _ -> true);
    }

    private Finding.@Nullable ThresholdMissed look(SoFar known, ResultMerger.ClockBound clocks, Predicate<Threshold> watched) {
        for (int i = 0; missed < 0 && i < all.size(); i++) {
            Threshold threshold = all.get(i);
            double value = threshold.abort() && watched.test(threshold) ? live(threshold, known, clocks) : Double.NaN;
            if (!Double.isNaN(value) && !threshold.comparison().holds(value, threshold.limit())) {
                missed = i;
                return new Finding.ThresholdMissed(threshold.text(), value, threshold.figure().unit());
            }
        }
        return null;
    }

    /** Returns a notice for each threshold that never could end the run, since clocks were never known well enough for its time. */
    public List<Finding.Notice> unwatched() {
        return withheld.stream().filter(threshold -> !judged.contains(threshold))
            .map(threshold -> (Finding.Notice) new Finding.ThresholdUnwatched(threshold.text())).toList();
    }

    /** Returns the number of the threshold that ended the run; -1 for none. */
    public int missed() {
        return missed;
    }

    /** Returns the current figure of a threshold; NaN as long as it is not known. */
    private double live(Threshold threshold, SoFar known, ResultMerger.ClockBound clocks) {
        String phase = threshold.phase();
        return switch (threshold.figure()) {
            case Threshold.Time time -> {
                Metric metric = time.metric();
                double value = Measurements.of(time, known.times(metric, phase));
                if (!metric.isOneWay() || Double.isNaN(value)) {
                    yield value;
                }
                boolean believed = clocks.isBelieved(known.times(Metric.TRANSFER, phase));
                (believed ? judged : withheld).add(threshold);
                yield believed ? value : Double.NaN;
            }
            case Threshold.Single single -> switch (single.quantity()) {
                case Count count -> known.counts(phase).get(count);
                case MeanRate rate -> known.rate(rate.count(), phase);
                case Measure measure when measure == Measure.SUCCESS_PERCENT -> successPercent(known.counts(null));
                case Measure _ -> Double.NaN;
            };
        };
    }

    /** Returns the percentage of completed sends among those that completed or failed; NaN when there are none. */
    private static double successPercent(Counts counts) {
        long completed = counts.get(Count.COMPLETED);
        long known = completed + counts.get(Count.FAILED);
        return known == 0 ? Double.NaN : 100.0 * completed / known;
    }
}
