package io.brokermeter.network;

import java.util.function.LongSupplier;

/**
 * Lets a thread be there at a moment, though the kernel wakes it late: by how much is learnt from each time, the next wake-up is asked for so much
 * earlier, and the rest is waited for on the processor. That is for lines with little on them, whose every message would be late by two wake-ups of
 * some 50 us each; so only what comes after a pause is waited for like this, and for a small part of the time at most. What is left over is late as the
 * kernel has it, and never early. One thread.
 */
final class Punctuality {

    /** What comes sooner than this is late without it as well, since the thread hardly sleeps. */
    private static final long PAUSE = 400_000;
    /** The longest wait on the processor: on a busy machine a thread is late by much more, which nothing mends. */
    private static final long MOST = 100_000;
    /** The thread may keep the processor busy for one part in this number of the time. */
    private static final long PART = 50;
    /** The mean moves by one part in this number towards a new lateness. */
    private static final int SMOOTHING = 8;

    private final LongSupplier clock;
    private final long begin;
    private long late;
    private long spent;
    private long asked = Pipe.NEVER;

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
        asked = early ? due - late : Pipe.NEVER;
        return early ? asked : due;
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
        if (asked == Pipe.NEVER || now < asked) {
            return now;
        }
        late += (Math.min(now - asked, MOST) - late) / SMOOTHING;
        asked = Pipe.NEVER;
        long woke = now;
        while (now < due && due - woke <= MOST) {
            Thread.onSpinWait();
            now = clock.getAsLong();
        }
        spent += now - woke;
        return now;
    }
}
