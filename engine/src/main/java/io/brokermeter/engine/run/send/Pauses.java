package io.brokermeter.engine.run.send;

import io.brokermeter.engine.pacing.Clock;

/**
 * The think time of a producer: a pause before each message but the first, or before each batch of messages. A pause begins when all
 * messages before it are settled. That may be long before the next message is due, so the thread that settles a message records the time.
 * All other methods are for the sending thread only.
 */
final class Pauses {

    private final RandomDraw lengths;
    private final int batch;
    /**
     * The time at which the last message was settled, in nanoseconds since the epoch. Visible to a thread that has seen in the window that
     * the message was settled.
     */
    private long settledAt;
    /** The token of the message before which the last pause came, and the end of that pause in nanoseconds since the epoch. */
    private long before;
    private long until;

    Pauses(RandomDraw lengths, int batch) {
        this.lengths = lengths;
        this.batch = batch;
    }

    /** Notes that a message is about to be settled: confirmed, answered, failed or given up. */
    void settles(long now) {
        settledAt = now;
    }

    /**
     * Returns whether the pause before the next message is over.
     *
     * @param open number of messages of an open transaction, which are not settled before its end: a pause between them begins when the
     *     last of them was sent
     * @param lastSend when the last message was sent, in nanoseconds since the epoch
     */
    boolean areOver(Window window, int open, long lastSend, Clock clock) {
        long next = window.next();
        if (next == 0 || next % batch != 0) {
            return true;
        }
        if (before != next) {
            if (window.inFlightNow() > open) {
                return false;
            }
            before = next;
            until = (open > 0 ? Math.max(settledAt, lastSend) : settledAt) + lengths.next();
        }
        return clock.nanos() >= until;
    }

    /** Returns when the pause before a message ends, in nanoseconds since the epoch; 0 when the pause has not begun. */
    long until(long token) {
        return before == token ? until : 0;
    }
}
