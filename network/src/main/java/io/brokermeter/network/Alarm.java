package io.brokermeter.network;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Calls somebody at a moment to the microsecond, which no selector of the JDK can. One thread. */
final class Alarm implements AutoCloseable {

    private final Runnable ring;
    private final Thread thread;
    private final AtomicLong at = new AtomicLong(DelayedBytes.NEVER);
    private volatile boolean closed;

    /** @param ring is called on the alarm's thread, and must not block */
    Alarm(String name, Runnable ring) {
        this.ring = ring;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    /** Rings once at that moment, instead of at the one set before. */
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
                // What was set meanwhile is another moment, which must not be forgotten.
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
