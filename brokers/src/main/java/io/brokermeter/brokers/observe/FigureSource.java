package io.brokermeter.brokers.observe;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * A source of figures of the broker. It is read once a second, and when {@link #hurry} is called, on a daemon thread of its own, so that a
 * source that hangs delays nothing else.
 */
abstract class FigureSource {

    private final Thread thread;
    private final LongUnaryOperator next;
    private volatile boolean closed;
    private volatile boolean hurried;
    private volatile boolean works;
    private volatile long readAt;

    /**
     * Creates a source that is not started.
     *
     * @param name name of the thread
     * @param next function from the time of a reading to the time of the next, by {@link System#nanoTime()}
     */
    FigureSource(String name, LongUnaryOperator next) {
        this.next = next;
        thread = new Thread(this::run, "brokermeter-" + name);
        thread.setDaemon(true);
    }

    final void start() {
        thread.start();
    }

    /** Requests a reading now. */
    final void hurry() {
        hurried = true;
        LockSupport.unpark(thread);
    }

    final void close() {
        closed = true;
        thread.interrupt();
        closing();
    }

    final boolean isClosed() {
        return closed;
    }

    /** Returns whether the last reading succeeded, so that it makes sense to wait for another. */
    final boolean works() {
        return works && thread.isAlive();
    }

    /** Returns whether the last reading succeeded and began at the given time or later. */
    final boolean hasRead(long since) {
        return works && readAt - since >= 0;
    }

    private void run() {
        try {
            while (!closed) {
                hurried = false;
                long now = System.nanoTime();
                works = read();
                readAt = now;
                long due = Math.max(next.applyAsLong(now), works ? now : now + 500_000_000);
                while (!closed && !(hurried && works) && System.nanoTime() - due < 0) {
                    LockSupport.parkNanos(this, due - System.nanoTime());
                }
            }
        } catch (InterruptedException e) {
            // closed
        } catch (Hopeless e) {
            works = false;
        } finally {
            works = false;
            release();
        }
    }

    /** Takes a reading and passes it on; returns false when there was none, which may change. */
    abstract boolean read() throws InterruptedException, Hopeless;

    /** Releases resources, on the thread of the source after its last reading. */
    void release() {}

    /** Releases resources at once, on the thread that closes the source, that must not wait for an answer that may never come. */
    void closing() {}

    /** Thrown when there will never be a reading. */
    @SuppressWarnings("serial")
    static final class Hopeless extends Exception {
        Hopeless() {
            super(null, null, false, false);
        }
    }
}
