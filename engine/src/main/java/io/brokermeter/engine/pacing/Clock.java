package io.brokermeter.engine.pacing;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The time of a run and the ways to wait for it. Everything in a run that reads time, waits or starts a thread does so through the
 * clock of the run, so that a test can let an hour pass in milliseconds.
 *
 * <p>A class and not an interface, for the sake of the JIT compiler: a program that loads {@link #SYSTEM} alone gets direct calls,
 * which are inlined without a check of the receiver's type.
 */
public abstract class Clock {

    /** The clock of the machine, {@link EpochClock}, and the threads of the JVM. */
    public static final Clock SYSTEM = new SystemClock();

    /** Returns nanoseconds since the epoch; never steps back. */
    public abstract long nanos();

    /** Blocks the calling thread for at most {@code nanos} nanoseconds, or until {@link #unpark}; may return early at any time. */
    public abstract void park(long nanos);

    /** Ends the present or the next {@link #park} of a thread; does nothing for null. */
    public abstract void unpark(@Nullable Thread thread);

    /** Starts a daemon thread. */
    public abstract Thread start(String name, Runnable task);

    /**
     * Blocks until a thread of {@link #start} has ended, for at most {@code nanos} nanoseconds. An interrupt ends the wait and stays
     * set.
     */
    public abstract void join(Thread thread, long nanos);

    private static final class SystemClock extends Clock {

        @Override
        public long nanos() {
            return EpochClock.nanos();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }

        @Override
        public void unpark(@Nullable Thread thread) {
            LockSupport.unpark(thread);
        }

        @Override
        public Thread start(String name, Runnable task) {
            return Thread.ofPlatform().daemon().name(name).start(task);
        }

        @Override
        public void join(Thread thread, long nanos) {
            try {
                thread.join(Math.max(1, nanos / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
