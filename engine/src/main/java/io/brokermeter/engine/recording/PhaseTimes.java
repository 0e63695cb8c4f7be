package io.brokermeter.engine.recording;

import java.util.Arrays;

/**
 * Maps moments to the phases of a run. Immutable.
 *
 * <p>A sample belongs to the phase in which its message was intended to be sent, not to the one in which the sample was taken,
 * so that the figures of a phase are about its own messages.
 */
public final class PhaseTimes {

    /** A single phase without an end. */
    public static final PhaseTimes ONE = new PhaseTimes(Long.MIN_VALUE, Long.MIN_VALUE, new long[0]);

    /** The begin of the first phase in nanoseconds since the epoch, {@link Long#MIN_VALUE} where whatever comes early belongs to it. */
    private final long begin;

    /** The end of the warm-up in nanoseconds since the epoch, {@link Long#MIN_VALUE} without a warm-up. */
    private final long warmupEnd;
    private final long[] ends;

    private PhaseTimes(long begin, long warmupEnd, long[] ends) {
        this.begin = begin;
        this.warmupEnd = warmupEnd;
        this.ends = ends;
    }

    /**
     * Creates phases that follow each other.
     *
     * @param warmup whether the first phase is a warm-up
     * @param ends end of each phase but the last, in nanoseconds since the epoch, ascending; the last phase has no end
     */
    public static PhaseTimes of(boolean warmup, long... ends) {
        return new PhaseTimes(Long.MIN_VALUE, warmup ? ends[0] : Long.MIN_VALUE, ends.clone());
    }

    /** Returns {@code count} phases that have not begun: nothing is delivered in any of them. */
    public static PhaseTimes notBegun(int count) {
        long[] never = new long[count - 1];
        Arrays.fill(never, Long.MAX_VALUE);
        return new PhaseTimes(Long.MAX_VALUE, Long.MIN_VALUE, never);
    }

    /** Returns these phases, the first of which begins at a moment, in nanoseconds since the epoch. */
    public PhaseTimes from(long moment) {
        return new PhaseTimes(moment, warmupEnd, ends);
    }

    /** Returns the phase in which a delivery came, or the number after those of all phases for one that came before the first of them. */
    public int ofDelivery(long now) {
        return now < begin ? overdue() : at(now);
    }

    /**
     * Returns the phase to which a sample belongs that was taken at {@code now} of a message that was due at {@code due}: the phase in
     * which the message was due, or {@link #overdue} if that is the warm-up and the sample was taken after it.
     */
    public int of(long due, long now) {
        return due < warmupEnd && now >= warmupEnd ? overdue() : at(due);
    }

    /** Returns the number after those of all phases, which stands for what was due in the warm-up and happened after it. */
    private int overdue() {
        return ends.length + 1;
    }

    /** Returns the phase, from 0, of a moment in nanoseconds since the epoch. */
    public int at(long epochNanos) {
        int phase = 0;
        while (phase < ends.length && epochNanos >= ends[phase]) {
            phase++;
        }
        return phase;
    }
}
