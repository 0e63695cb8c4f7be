package io.brokermeter.engine.run;

import io.brokermeter.engine.pacing.Clock;

/**
 * The think time of a producer: a pause before each message but the first, or each batch of them, which begins when all messages before it are
 * settled. That may be long before the next one is due, so the moment is noted by whoever settles a message. The rest is the sending thread's.
 */
final class Pauses {

    private final RandomDraw lengths;
    private final int batch;
    /** When the last message was settled, epoch nanoseconds; to be seen by who has seen in the window that it was. */
    private long settledAt;
    /** The token of the message that the last pause came before, and when that pause ends. */
    private long before;
    private long until;

    Pauses(RandomDraw lengths, int batch) {
        this.lengths = lengths;
        this.batch = batch;
    }

    /** A message is about to be settled: confirmed, answered, failed or given up. */
    void settles(long now) {
        settledAt = now;
    }

    /**
     * Whether the next message may be sent.
     *
     * @param open messages of an open transaction, which nobody settles before its end: a pause between them begins when the last was sent
     * @param lastSend when that was
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

    /** When the pause before a message ends; 0 when it has not begun. */
    long until(long token) {
        return before == token ? until : 0;
    }
}
