package io.brokermeter.trials.sweep;

import java.io.PrintStream;
import java.util.List;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.History;
import io.brokermeter.engine.recording.RunResult;

/** Derives the exit status from the conditions under which a build fails, and prints those that do not simply pass. */
public final class Gates {

    private static final int FAILED = 1;

    private Gates() {}

    /**
     * Returns the exit status of gates on comparisons: 99 when one holds, 3 when trials that measured the generator leave one open, 1
     * when other conditions do, else 0.
     * A gate that may hold by chance alone passes, with a sentence: on a noisy machine the estimate of two equal sides is beyond a limit in
     * many builds, which must not fail because of that.
     */
    public static int judged(List<Comparison> comparisons, List<Gate> gates, PrintStream err) {
        int status = 0;
        for (Comparison comparison : comparisons) {
            for (Gate gate : gates) {
                status = worse(status, gate.of(comparison), gate.sentence(comparison),
                    comparison.lacksValidTrials() ? RunResult.INVALID : FAILED, err);
            }
        }
        return status;
    }

    /** Returns the exit status of gates on histories, as {@link #judged} does. Each gate applies to the histories of its figure. */
    public static int judgedBy(List<History> histories, List<Gate> gates, PrintStream err) {
        int status = 0;
        for (History history : histories) {
            for (Gate gate : gates) {
                if (gate.figure().equals(history.figure())) {
                    status = worse(status, gate.of(history), gate.sentence(history), FAILED, err);
                }
            }
        }
        return status;
    }

    private static int worse(int status, Gate.Outcome outcome, String sentence, int open, PrintStream err) {
        if (outcome != Gate.Outcome.PASSED) {
            err.println("--fail-if " + sentence);
        }
        return switch (outcome) {
            case FAILED -> RunResult.THRESHOLD_MISSED;
            case UNKNOWN -> status == RunResult.THRESHOLD_MISSED ? RunResult.THRESHOLD_MISSED : open;
            case PASSED, UNCERTAIN -> status;
        };
    }
}
