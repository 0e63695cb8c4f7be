package io.brokermeter.engine.recording;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.brokermeter.engine.scenario.Quantity;
import io.brokermeter.engine.scenario.Threshold;

/**
 * What a run came to beside a threshold.
 *
 * @param threshold what was asked for
 * @param value the figure in its unit, NaN where it is not known
 * @param samples how many samples stand behind a time; -1 for another figure
 * @param passed whether the limit was kept; false where the value is not known
 * @param aborted whether it ended the run
 */
public record ThresholdResult(Threshold threshold, double value, long samples, boolean passed, boolean aborted) {

    /**
     * What a run that is over came to beside each.
     *
     * @param missed number of the one that ended it, -1 for none
     */
    public static List<ThresholdResult> all(List<Threshold> thresholds, RunResult result, int missed) {
        return IntStream.range(0, thresholds.size()).mapToObj(i -> of(thresholds.get(i), result, i == missed)).toList();
    }

    /** The figure of a run that is over. */
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
        // One that ended the run was missed then, whatever the end makes of it.
        return new ThresholdResult(threshold, value, samples, !aborted && threshold.comparison().holds(value, threshold.limit()), aborted);
    }
}
