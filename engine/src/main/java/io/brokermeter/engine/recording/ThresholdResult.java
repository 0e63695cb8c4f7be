package io.brokermeter.engine.recording;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.brokermeter.engine.scenario.Quantity;
import io.brokermeter.engine.scenario.Threshold;

/**
 * The result of a threshold.
 *
 * @param threshold the threshold
 * @param value value of the figure in its unit, NaN if unknown
 * @param samples number of samples of a time; -1 for another figure
 * @param passed whether the limit was kept; false if the value is unknown
 * @param aborted whether the threshold ended the run
 */
public record ThresholdResult(Threshold threshold, double value, long samples, boolean passed, boolean aborted) {

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
                yield judged(threshold, value, -1, aborted);
            }
            case Threshold.Time time -> {
                Map<Metric, Distribution> times = threshold.phase() == null ? result.measured()
                    : result.phases().stream().filter(phase -> phase.name().equals(threshold.phase())).findFirst()
                        .map(PhaseResult::measured).orElse(Map.<Metric, Distribution>of());
                Distribution d = times.get(Measurements.metric(time.timing()));
                yield judged(threshold, Measurements.of(time, d), d == null ? 0 : d.count(), aborted);
            }
        };
    }

    private static ThresholdResult judged(Threshold threshold, double value, long samples, boolean aborted) {
        // A threshold that ended the run was missed at that time, whatever the value is at the end.
        return new ThresholdResult(threshold, value, samples, !aborted && threshold.comparison().holds(value, threshold.limit()), aborted);
    }
}
