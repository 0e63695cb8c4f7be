package io.brokermeter.engine.run;

import io.brokermeter.engine.pacing.Clock;

/**
 * The time of a loop that waits for others, without standstills of the process or of the machine: nothing arrives while nobody runs, so
 * limits of the loop do not run then either. A wait of the loop that takes far longer than asked for is a standstill. Used by one thread.
 */
final class AwakeTime {

    /** The shortest excess of a wait that is a standstill, in nanoseconds: more than a busy machine adds to a wait. */
    private static final long STANDSTILL = 1_000_000_000L;
    /**
     * The largest sum of standstills that are left out, in nanoseconds, so that a machine that stands still again and again makes no loop
     * endless.
     */
    private static final long AT_MOST = 120_000_000_000L;

    private final Clock clock;
    private long leftOut;

    AwakeTime(Clock clock) {
        this.clock = clock;
    }

    /** Returns the time of the clock less that of the standstills so far, in nanoseconds since the epoch; never steps back. */
    long nanos() {
        return clock.nanos() - leftOut;
    }

    /** Blocks as {@link Clock#park} does. */
    void park(long nanos) {
        long began = clock.nanos();
        clock.park(nanos);
        leaveOut(began, nanos);
    }

    /** Blocks as {@link Clock#join} does. */
    void join(Thread thread, long nanos) {
        long began = clock.nanos();
        clock.join(thread, nanos);
        leaveOut(began, nanos);
    }

    private void leaveOut(long began, long asked) {
        long excess = clock.nanos() - began - asked;
        if (excess >= STANDSTILL) {
            leftOut += Math.min(excess, AT_MOST - leftOut);
        }
    }
}
