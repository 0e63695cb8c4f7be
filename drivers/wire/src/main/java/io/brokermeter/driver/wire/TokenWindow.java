package io.brokermeter.driver.wire;

import java.util.Arrays;

import io.brokermeter.spi.SendListener;

/**
 * The sends of one producer that are not reported yet, by their number, from 0. It is a ring of tokens, with no object for a
 * message. Confirmations in turn are gathered until {@link #report()}, and reach the listener with one call.
 *
 * <p>Threads: the sending thread adds. Whoever confirms, refuses or ends takes this object's monitor, in which the listener is
 * called, so that its calls come one after another.
 */
public final class TokenWindow {

    private final SendListener listener;
    /** By send number; the sending thread writes, and replaces it under the monitor. */
    private long[] tokens;
    /** Whether a send out of turn was reported; under the monitor. */
    private boolean[] done;
    private int outOfTurn;
    /** Sends so far; the sending thread writes. */
    private volatile long sent;
    /** Every send below is reported, or will be by {@link #report()}; under the monitor. */
    private volatile long settled;
    private long confirmedToken;
    private boolean confirmed;
    private boolean finished;

    /** @param maxPending sends that may be unreported at a time, a hint; 0 for no limit */
    public TokenWindow(SendListener listener, int maxPending) {
        this.listener = listener;
        int capacity = Math.clamp(Integer.highestOneBit(Math.max(64, maxPending)) * 2L, 128, 1 << 16);
        tokens = new long[capacity];
        done = new boolean[capacity];
    }

    private int at(long number) {
        return (int) number & (tokens.length - 1);
    }

    /** Adds a send. Sending thread, which makes sure that {@link #finish} was not called. */
    public void add(long token) {
        long number = sent;
        if (number - settled == tokens.length) {
            grow();
        }
        tokens[at(number)] = token;
        sent = number + 1;
    }

    /** Adds a send; false when {@link #finish} was called before. */
    public synchronized boolean addUnlessFinished(long token) {
        if (!finished) {
            add(token);
        }
        return !finished;
    }

    /** Takes back the send that was added last, since it failed; false when it was reported meanwhile. Sending thread. */
    public synchronized boolean withdraw() {
        long last = sent - 1;
        if (settled > last || done[at(last)]) {
            return false;
        }
        sent = last;
        return true;
    }

    private synchronized void grow() {
        long[] oldTokens = tokens;
        boolean[] oldDone = done;
        int mask = oldTokens.length - 1;
        tokens = new long[oldTokens.length * 2];
        done = new boolean[tokens.length];
        for (long i = settled; i < sent; i++) {
            tokens[at(i)] = oldTokens[(int) i & mask];
            done[at(i)] = oldDone[(int) i & mask];
        }
    }

    /** Sends so far, which is the number of the next one. Any thread. */
    public long sent() {
        return sent;
    }

    /** Sends that are not reported. Any thread. */
    public long count() {
        return sent - settled;
    }

    /** The number of the first send that is not reported. Any thread. */
    public long first() {
        return settled;
    }

    /** The broker has the message with this number; ignored when it is none of those that wait. */
    public synchronized void confirm(long number) {
        if (number == settled) {
            confirmUpTo(number);
        } else if (number > settled && number < sent && take(number)) {
            listener.confirmed(tokens[at(number)]);
        }
    }

    /** The broker has the messages with these numbers. */
    public synchronized void confirm(long from, long to) {
        if (from <= settled) {
            confirmUpTo(to);
        } else {
            for (long number = from; number <= to && number < sent; number++) {
                confirm(number);
            }
        }
    }

    /** The broker has every message up to this number. */
    public synchronized void confirmUpTo(long number) {
        long last = Math.min(number, sent - 1);
        if (last < settled) {
            return;
        }
        if (outOfTurn == 0) {
            confirmedToken = tokens[at(last)];
            confirmed = true;
        } else {
            for (long each = settled; each <= last; each++) {
                if (done[at(each)]) {
                    done[at(each)] = false;
                    outOfTurn--;
                } else {
                    confirmedToken = tokens[at(each)];
                    confirmed = true;
                }
            }
        }
        settled = last + 1;
        passDone();
    }

    /** Moves {@link #settled} over sends that were reported by themselves. */
    private void passDone() {
        long number = settled;
        while (outOfTurn > 0 && number < sent && done[at(number)]) {
            done[at(number)] = false;
            outOfTurn--;
            number++;
        }
        settled = number;
    }

    /** The broker refused the messages with these numbers, as far as they are not reported. */
    public synchronized void refuse(long from, long to, Throwable cause) {
        for (long number = Math.max(from, settled); number <= to && number < sent; number++) {
            if (take(number)) {
                listener.failed(tokens[at(number)], cause);
            }
        }
        passDone();
    }

    /** Nobody will ever know the fate of the message with this number, unless it is reported. */
    public synchronized void giveUp(long number, Throwable cause) {
        if (number >= settled && number < sent && take(number)) {
            listener.unknown(tokens[at(number)], cause);
            passDone();
        }
    }

    /** The broker gave back the message of this token; a confirmation that follows says nothing more about it. */
    public synchronized void returned(long token, Throwable cause) {
        for (long number = settled; number < sent; number++) {
            if (tokens[at(number)] == token) {
                refuse(number, number, cause);
                return;
            }
        }
    }

    /** Whether a send was not reported yet; from now on it counts as reported. */
    private boolean take(long number) {
        int at = at(number);
        if (done[at]) {
            return false;
        }
        done[at] = true;
        outOfTurn++;
        return true;
    }

    /** Confirms every send below a number, and reports them. */
    public synchronized void confirmBefore(long number) {
        confirmUpTo(number - 1);
        report();
    }

    /** Reports the confirmations that were gathered to the listener, with one call. */
    public synchronized void report() {
        if (confirmed) {
            confirmed = false;
            listener.confirmedUpTo(confirmedToken);
        }
    }

    /** Forgets every send that is not reported: it was rolled back. */
    public synchronized void forgetAll() {
        report();
        if (outOfTurn > 0) {
            Arrays.fill(done, false);
            outOfTurn = 0;
        }
        settled = sent;
    }

    /** Every send that is not reported has failed: the broker refused it, or never gets it. */
    public void failAll(Throwable cause) {
        settleAll(cause, 0);
    }

    /** Nobody will ever know the fate of the sends that are not reported. */
    public void giveUpAll(Throwable cause) {
        settleAll(cause, Long.MAX_VALUE);
    }

    private synchronized void settleAll(Throwable cause, long given) {
        report();
        for (long number = settled; number < sent; number++) {
            if (number < given && take(number)) {
                listener.unknown(tokens[at(number)], cause);
            }
        }
        refuse(settled, sent - 1, cause);
    }

    /**
     * Reports every send that is not reported, and nothing after that.
     *
     * @param given the number of sends that the broker was given: nobody knows their fate; the others have failed
     */
    public synchronized void finish(Throwable cause, long given) {
        if (!finished) {
            settleAll(cause, given);
            finished = true;
        }
    }

    /** The same when all sends have failed, or the fate of all is unknown. */
    public void finish(Throwable cause, boolean failed) {
        finish(cause, failed ? 0 : Long.MAX_VALUE);
    }
}
