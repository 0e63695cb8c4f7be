package io.brokermeter.engine.run;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.Count;
import io.brokermeter.engine.scenario.Threshold;
import org.jspecify.annotations.Nullable;

/** The thresholds that may end a run while it goes on, and the one that did. Not thread-safe. */
final class EndingThresholds {

    private final List<Threshold> all;
    private int missed = -1;

    /** @param all all thresholds of the scenario */
    EndingThresholds(List<Threshold> all) {
        this.all = all;
    }

    /**
     * Checks the thresholds that may end the run, until one is not kept. Returns that threshold once; otherwise null.
     *
     * @param live gives the current figure of a threshold; NaN as long as it is not known
     */
    Finding.@Nullable ThresholdMissed look(ToDoubleFunction<Threshold> live) {
        for (int i = 0; missed < 0 && i < all.size(); i++) {
            Threshold threshold = all.get(i);
            double value = threshold.abort() ? live.applyAsDouble(threshold) : Double.NaN;
            if (!Double.isNaN(value) && !threshold.comparison().holds(value, threshold.limit())) {
                missed = i;
                return new Finding.ThresholdMissed(threshold.text(), value, threshold.figure().unit());
            }
        }
        return null;
    }

    /** Returns the number of the threshold that ended the run; -1 for none. */
    int missed() {
        return missed;
    }

    /** Returns the percentage of completed sends among those that completed or failed; NaN when there are none. */
    static double successPercent(Counts counts) {
        long completed = counts.get(Count.COMPLETED);
        long known = completed + counts.get(Count.FAILED);
        return known == 0 ? Double.NaN : 100.0 * completed / known;
    }
}
