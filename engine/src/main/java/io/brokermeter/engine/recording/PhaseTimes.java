package io.brokermeter.engine.recording;

/**
 * Which phase of a run a moment belongs to. Immutable.
 *
 * <p>A sample belongs to the phase in which its message was intended to be sent, not to the one in which it was taken, so
 * that a phase's figures are about its own messages.
 */
public final class PhaseTimes {

    /** One phase without an end. */
    public static final PhaseTimes ONE = new PhaseTimes(Long.MIN_VALUE, new long[0]);

    /** {@link Long#MIN_VALUE} without a warm-up. */
    private final long warmupEnd;
    private final long[] ends;

    private PhaseTimes(long warmupEnd, long[] ends) {
        this.warmupEnd = warmupEnd;
        this.ends = ends;
    }

    /**
     * Phases one after the other.
     *
     * @param warmup whether the first of them is a warm-up
     * @param ends the end of each but the last, nanoseconds since the epoch, growing; the last has none
     */
    public static PhaseTimes of(boolean warmup, long... ends) {
        return new PhaseTimes(warmup ? ends[0] : Long.MIN_VALUE, ends.clone());
    }

    /**
     * Where a sample belongs that was taken at {@code now} of a message that was due at {@code due}: to the phase in which it was due,
     * and to {@link #overdue} when that was the warm-up and it was taken after it.
     */
    public int of(long due, long now) {
        return due < warmupEnd && now >= warmupEnd ? overdue() : at(due);
    }

    /** The number behind those of all phases: what was due in the warm-up and happened after it. */
    private int overdue() {
        return ends.length + 1;
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
