package io.brokermeter.network;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Lets a thread be there at a moment, though the kernel wakes it late: by how much is learnt from each time, the next wake-up is asked for by that much
 * earlier, and the rest is waited for on the processor. That is for lines with little on them, whose every message would be late by two wake-ups of
 * some 50 us each; so only what comes after a pause is waited for like this, and for a small part of the time at most. What is left over is late as the
 * kernel has it, and never early. One thread, where nothing else is said.
 */
final class Punctuality {

    /** What comes sooner than this is late without it as well, since the thread hardly sleeps. */
    private static final long PAUSE = 400_000;
    /** The longest wait on the processor: on a busy machine a thread is late by much more, which nothing mends. */
    private static final long MOST = 250_000;
    /** The thread may keep the processor busy for one part in this number of the time. */
    private static final long PART = 50;
    /** The mean moves by one part in this number towards a new lateness. */
    private static final int SMOOTHING = 8;
    private static final int LOOKS = 16;

    private final LongSupplier clock;
    private final long begin;
    private long late;
    private final long[] latenesses = new long[LOOKS];
    private int looked;
    /** The lower quartile of the last ones. */
    private volatile long quartile;
    private long spent;
    private long asked = DelayedBytes.NEVER;

    /** @param clock nanoseconds, as {@link System#nanoTime} */
    Punctuality(LongSupplier clock) {
        this.clock = clock;
        this.begin = clock.getAsLong();
    }

    /**
     * When to be woken for something.
     *
     * @param due its moment
     * @param now the moment of the call
     * @return that moment, or somewhat earlier
     */
    long wakeFor(long due, long now) {
        boolean early = due - now > PAUSE && (spent + late) * PART <= now - begin;
        asked = early ? due - late : DelayedBytes.NEVER;
        return early ? asked : due;
    }

    /**
     * How much earlier than now something came that a thread has waited for: whoever is woken by news is as late as whoever is woken by the time. The
     * lower quartile is taken, so that little is taken for older than it is. Any thread.
     *
     * @param since the moment from which it has waited
     * @param now the moment at which it goes on
     * @return nanoseconds, at most the time for which it has waited
     */
    long behind(long since, long now) {
        return Math.min(quartile, now - since);
    }

    /**
     * Learns from a wake-up, and stays on the processor until the moment that the last {@link #wakeFor} was about, when it is so near that it was
     * woken for it.
     *
     * @param due the moment of what is the next
     * @return the time then
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
