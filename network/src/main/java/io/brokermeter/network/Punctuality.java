package io.brokermeter.network;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Makes a thread run at a moment although the kernel wakes it late: it learns the lateness from each wake-up, requests the next one
 * earlier by this much, and spins for the rest of the time. This is for paths with little traffic, whose every message would be late by two
 * wake-ups of some 50 us each; so a thread spins only for moments after a pause, and for a small part of the time at most. At other
 * moments the thread is as late as the kernel wakes it, and it is never early. Used by one thread, where nothing else is said.
 */
final class Punctuality {

    /** The shortest time ahead for which a wake-up is requested earlier, in nanoseconds: before shorter ones the thread hardly sleeps. */
    private static final long PAUSE = 400_000;
    /** The longest time to spin, in nanoseconds: on a busy machine a thread is late by much more, which cannot be compensated. */
    private static final long MOST = 250_000;
    /** The thread may spin for at most one part in this number of the time. */
    private static final long PART = 50;
    /** The mean lateness moves by one part in this number of the difference towards a new lateness. */
    private static final int SMOOTHING = 8;
    private static final int LOOKS = 16;

    private final LongSupplier clock;
    private final long begin;
    private long late;
    private final long[] latenesses = new long[LOOKS];
    private int looked;
    /** The lower quartile of the last latenesses, in nanoseconds. */
    private volatile long quartile;
    private long spent;
    private long asked = DelayedBytes.NEVER;

    /** @param clock a clock in nanoseconds, such as {@link System#nanoTime} */
    Punctuality(LongSupplier clock) {
        this.clock = clock;
        this.begin = clock.getAsLong();
    }

    /**
     * Returns the moment for which to request a wake-up.
     *
     * @param due the moment at which the thread must run
     * @param now the moment of the call
     * @return {@code due}, or a moment somewhat earlier
     */
    long wakeFor(long due, long now) {
        boolean early = due - now > PAUSE && (spent + late) * PART <= now - begin;
        asked = early ? due - late : DelayedBytes.NEVER;
        return early ? asked : due;
    }

    /**
     * Estimates how much earlier than now an event came for which a thread has waited: a thread that an event wakes is as late as one that
     * a timer wakes. The estimate is the lower quartile of the latenesses, so that few events are taken for older than they are. Any thread
     * may call it.
     *
     * @param since the moment at which the thread began to wait
     * @param now the moment at which the thread goes on
     * @return nanoseconds, at most the time for which the thread has waited
     */
    long behind(long since, long now) {
        return Math.min(quartile, now - since);
    }

    /**
     * Learns from a wake-up, and spins until {@code due} when the last {@link #wakeFor} requested an early wake-up, its moment has come and
     * {@code due} is near.
     *
     * @param due the moment at which the thread must run next
     * @return the time at the end
     */
    long await(long due) {
        long now = clock.getAsLong();
        if (asked == DelayedBytes.NEVER || now < asked) {
            return now;
        }
        long lateness = Math.min(now - asked, MOST);
        late += (lateness - late) / SMOOTHING;
        latenesses[looked++] = lateness;
        if (looked == LOOKS) {
            Arrays.sort(latenesses);
            quartile = latenesses[LOOKS / 4];
            looked = 0;
        }
        asked = DelayedBytes.NEVER;
        long woke = now;
        while (now < due && due - woke <= MOST) {
            Thread.onSpinWait();
            now = clock.getAsLong();
        }
        spent += now - woke;
        return now;
    }
}
