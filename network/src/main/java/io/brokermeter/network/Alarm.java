package io.brokermeter.network;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Runs a callback at a moment with an accuracy of microseconds, which no selector of the JDK offers. Set by one thread. */
final class Alarm implements AutoCloseable {

    private final Runnable ring;
    private final Thread thread;
    private final AtomicLong at = new AtomicLong(DelayedBytes.NEVER);
    private volatile boolean closed;

    /** @param ring the callback; runs on the alarm's thread, and must not block */
    Alarm(String name, Runnable ring) {
        this.ring = ring;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    /** Sets the moment of the next call, as of {@link System#nanoTime()}, in place of the one set before; the callback runs once. */
    void set(long nanos) {
        if (nanos < at.getAndSet(nanos)) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        Linux.lowerTimerSlack();
        while (!closed) {
            long due = at.get();
            if (due == DelayedBytes.NEVER) {
                LockSupport.park(this);
                continue;
            }
            long left = due - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            } else if (at.compareAndSet(due, DelayedBytes.NEVER)) {
                // The exchange fails when another moment was set meanwhile, which must not be lost.
                ring.run();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
