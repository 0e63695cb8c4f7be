package io.brokermeter.engine.recording;

/**
 * Which phase of a run a moment belongs to. Immutable.
 *
 * <p>A sample belongs to the phase in which its message was intended to be sent, not to the one in which it was taken, so
 * that a phase's figures are about its own messages.
 */
public final class PhaseTimes {

    /** One phase without an end. */
    public static final PhaseTimes ONE = new PhaseTimes(new long[0]);

    private final long[] ends;

    private PhaseTimes(long[] ends) {
        this.ends = ends;
    }

    /**
     * Phases one after the other.
     *
     * @param ends the end of each but the last, nanoseconds since the epoch, growing; the last has none
     */
    public static PhaseTimes of(long... ends) {
        return new PhaseTimes(ends.clone());
    }

    /** The phase, from 0, of a moment in nanoseconds since the epoch. */
    public int at(long epochNanos) {
        int phase = 0;
        while (phase < ends.length && epochNanos >= ends[phase]) {
            phase++;
        }
        return phase;
    }
}
