package io.brokermeter.cluster.clock;

import java.util.Locale;

/**
 * A clock that did not run straight: no line goes through all probes around it. It happened after {@code from} and not after {@code to}, both
 * by the agent's {@link System#nanoTime()}; offsets before and after have nothing to do with each other.
 *
 * @param from the last moment that certainly belongs to the time before
 * @param to the first moment that certainly belongs to the time after
 * @param by how much the offset (agent minus coordinator) changed beyond its drift, nanoseconds
 * @param bound the most that {@code by} can be wrong, nanoseconds
 * @param times how many times within this stretch no line was possible: 1 for a step, many for a clock that runs fast or slow beyond
 *     {@link OffsetBand#MAX_DRIFT} for a while
 */
public record ClockStep(long from, long to, long by, long bound, int times) {

    /** Whether any of the time between the two moments is of uncertain offset because of it. */
    public boolean touches(long begin, long end) {
        return end - from >= 0 && to - begin >= 0;
    }

    /** One sentence, whose moment is given in seconds since that of the agent's clock. */
    public String sentence(long since) {
        return String.format(Locale.ROOT,
            "The clock of this agent or of the coordinator %s by %.3f ms (+-%.3f ms) between %.3f s and %.3f s.",
            times == 1 ? "stepped" : "was set", by / 1e6, bound / 1e6, (from - since) / 1e9, (to - since) / 1e9);
    }
}
