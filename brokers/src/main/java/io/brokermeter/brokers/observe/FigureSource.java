package io.brokermeter.brokers.observe;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * Something that is asked about the broker, once a second and when {@link #hurry} says so, on a daemon thread of its own:
 * one that hangs holds up nothing but itself.
 */
abstract class FigureSource {

    private final Thread thread;
    private final LongUnaryOperator next;
    private volatile boolean closed;
    private volatile boolean hurried;
    private volatile boolean works;
    private volatile long readAt;

    /**
     * @param name of the thread
     * @param next from the time of a reading to the time of the next, by {@link System#nanoTime()}
     */
    FigureSource(String name, LongUnaryOperator next) {
        this.next = next;
        thread = new Thread(this::run, "brokermeter-" + name);
        thread.setDaemon(true);
    }

    final void start() {
        thread.start();
    }

    /** Wants a reading now. */
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

    /** Whether its last reading came to something, so that another may be waited for. */
    final boolean works() {
        return works && thread.isAlive();
    }

    /** Whether the last reading that came to something was begun at that time or later. */
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

    /** Takes a reading and hands it on; false when there was none, which may change. */
    abstract boolean read() throws InterruptedException, Hopeless;

    /** Gives back what it holds, after the last reading. */
    void release() {}

    /** Gives back at once, on the thread that closes, what must not wait for an answer that may never come. */
    void closing() {}

    /** There will never be a reading. */
    @SuppressWarnings("serial")
    static final class Hopeless extends Exception {
        Hopeless() {
            super(null, null, false, false);
        }
    }
}
