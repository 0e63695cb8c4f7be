package io.brokermeter.engine.recording;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;

/**
 * The result of a threshold.
 *
 * @param threshold the threshold
 * @param value value of the figure in its unit, NaN if unknown
 * @param samples number of samples of a time; -1 for another figure
 * @param passed whether the limit was kept; false if the value is unknown
 * @param judged whether that says something about the broker; false where the generator's own stalls decide it, and in a run that
 *     measured the generator unless there were too many of something that a slow generator does not make
 * @param aborted whether the threshold ended the run
 */
public record ThresholdResult(Threshold threshold, double value, long samples, boolean passed, boolean judged, boolean aborted) {

    /**
     * Returns the results of thresholds for a run that is over.
     *
     * @param missed number of the threshold that ended the run, -1 for none
     */
    public static List<ThresholdResult> all(List<Threshold> thresholds, RunResult result, int missed) {
        return IntStream.range(0, thresholds.size()).mapToObj(i -> of(thresholds.get(i), result, i == missed)).toList();
    }

    /** Returns the result of one threshold for a run that is over. */
    public static ThresholdResult of(Threshold threshold, RunResult result, boolean aborted) {
        return switch (threshold.figure()) {
            case Threshold.Single single -> {
                Quantity quantity = single.quantity();
                double value = threshold.phase() == null ? Measurements.of(quantity, result)
                    : result.phases().stream().filter(phase -> phase.name().equals(threshold.phase())).findFirst()
                        .map(phase -> Measurements.of(quantity, phase)).orElse(Double.NaN);
                yield judged(threshold, value, -1, !result.health().verdict().isInvalid() || isCount(quantity)
                    && (threshold.comparison().holds(value, threshold.limit()) || isTooMany(threshold, quantity, value)), aborted);
            }
            case Threshold.Time time -> {
                Map<Metric, Distribution> times = threshold.phase() == null ? result.measured()
                    : result.phases().stream().filter(phase -> phase.name().equals(threshold.phase())).findFirst()
                        .map(PhaseResult::measured).orElse(Map.<Metric, Distribution>of());
                Distribution d = times.get(time.metric());
                double value = Measurements.of(time, d);
                yield judged(threshold, value, d == null ? 0 : d.count(),
                    !result.health().verdict().isInvalid() && (d == null || !isByStalls(threshold, time, value, d, result.floors())),
                    aborted);
            }
        };
    }

    /** Returns whether a figure is a count, which is right whoever was slow, though what is missing in it may be due to that. */
    private static boolean isCount(Quantity quantity) {
        return quantity instanceof Count || quantity.unit() == Quantity.Unit.MESSAGES || quantity.unit() == Quantity.Unit.COUNT;
    }

    /**
     * Returns whether a limit on a count was missed since there were more than it allows, as of lost messages: a generator that is slow
     * makes too few. It can only make its own doubts and full windows too many.
     */
    private static boolean isTooMany(Threshold threshold, Quantity quantity, double value) {
        return quantity instanceof Count && quantity != Count.BLOCKED && value >= threshold.limit() && switch (threshold.comparison()) {
            case BELOW, AT_MOST, EQUAL -> true;
            case ABOVE, AT_LEAST, OTHER -> false;
        };
    }

    /** Returns whether the generator's own stalls decide whether a limit is kept: it was missed only with them, or kept only with them. */
    private static boolean isByStalls(Threshold threshold, Threshold.Time time, double value, Distribution d, Floors floors) {
        Metric metric = time.metric();
        if (Double.isNaN(time.percentile()) || Double.isNaN(value)) {
            return false;
        }
        return switch (threshold.comparison()) {
            case BELOW, AT_MOST -> !threshold.comparison().holds(value, threshold.limit())
                && (floors.wouldHaveKept(metric, d, time.percentile(), threshold.limit())
                    // A limit that most messages missed without a stall was missed by the broker.
                    || threshold.comparison().holds(d.nanosAt(50) / 1e3, threshold.limit())
                        && floors.isMostlyStalls(metric, d, time.percentile())
                    || floors.isMostlyStalls(metric, d, 50));
            case ABOVE, AT_LEAST, EQUAL, OTHER -> threshold.comparison().holds(value, threshold.limit())
                && floors.isMarked(metric, d, time.percentile());
        };
    }

    private static ThresholdResult judged(Threshold threshold, double value, long samples, boolean judged, boolean aborted) {
        // A threshold that ended the run was missed at that time, whatever the value is at the end.
        return new ThresholdResult(threshold, value, samples, !aborted && threshold.comparison().holds(value, threshold.limit()), judged,
            aborted);
    }
}
