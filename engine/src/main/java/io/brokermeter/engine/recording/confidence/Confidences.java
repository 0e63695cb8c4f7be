package io.brokermeter.engine.recording.confidence;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * How sure the figures of a run are.
 *
 * @param times intervals of the percentiles of each time, in nanoseconds, in the order of {@link Distribution#PERCENTILES}
 * @param sent interval of {@link RunResult#meanSent}
 * @param received interval of {@link RunResult#meanReceived}
 */
public record Confidences(Map<Metric, List<Confidence>> times, Confidence sent, Confidence received) {

    /** Those of a run that was too short. */
    public static final Confidences NONE = new Confidences(Map.of(), Confidence.UNKNOWN, Confidence.UNKNOWN);

    /** Returns the interval of a percentile, one of {@link Distribution#PERCENTILES}. */
    public Confidence of(Metric metric, double percentile) {
        List<Confidence> all = times.getOrDefault(metric, List.of());
        int index = Distribution.PERCENTILES.indexOf(percentile);
        return index < 0 || index >= all.size() ? Confidence.UNKNOWN : all.get(index);
    }
}
