package io.brokermeter.cluster.clock;

import java.util.Locale;

/**
 * A stretch in which a clock did not run straight: no line passes through all probes around it. The step happened after {@code from} and
 * not after {@code to}, both by the agent's {@link System#nanoTime()}; offsets before and after it are unrelated.
 *
 * @param from the last moment that certainly belongs to the time before
 * @param to the first moment that certainly belongs to the time after
 * @param by the change of the offset (agent minus coordinator) beyond its drift, nanoseconds
 * @param bound the greatest error of {@code by}, nanoseconds
 * @param times number of times within this stretch that no line was possible: 1 for a step, many for a clock that runs fast or slow beyond
 *     {@link OffsetBand#MAX_DRIFT} for a while
 */
public record ClockStep(long from, long to, long by, long bound, int times) {

    /** Returns whether this step makes the offset uncertain at any time between two moments. */
    public boolean touches(long begin, long end) {
        return end - from >= 0 && to - begin >= 0;
    }

    /** Returns one sentence, with the time of the step in seconds since a moment of the agent's clock. */
    public String sentence(long since) {
        return String.format(Locale.ROOT,
            "The clock of this agent or of the coordinator %s by %.3f ms (+-%.3f ms) between %.3f s and %.3f s.",
            times == 1 ? "stepped" : "was set", by / 1e6, bound / 1e6, (from - since) / 1e9, (to - since) / 1e9);
    }
}
