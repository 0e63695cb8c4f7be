package io.brokermeter.driver.wire;

import java.util.Arrays;

import io.brokermeter.spi.SendListener;

/**
 * The unreported sends of one producer, numbered from 0. A ring of tokens that creates no object per message. Confirmations in order are
 * gathered until {@link #report()}, and reach the listener with one call.
 *
 * <p>Threads: the sending thread adds. Threads that confirm, refuse or end hold this object's monitor, in which the listener is called, so
 * that its calls never overlap.
 */
public final class TokenWindow {

    private final SendListener listener;
    /** The tokens by send number modulo the length. Written by the sending thread, replaced under the monitor. */
    private long[] tokens;
    /** Whether a send was reported out of order, by send number modulo the length; guarded by the monitor. */
    private boolean[] done;
    private int outOfTurn;
    /** Number of sends so far; written by the sending thread. */
    private volatile long sent;
    /** Every send below this number is reported, or will be by {@link #report()}; guarded by the monitor. */
    private volatile long settled;
    private long confirmedToken;
    private boolean confirmed;
    private boolean finished;

    /** @param maxPending expected maximum of unreported sends, a hint; 0 for no limit */
    public TokenWindow(SendListener listener, int maxPending) {
        this.listener = listener;
        int capacity = Math.clamp(Integer.highestOneBit(Math.max(64, maxPending)) * 2L, 128, 1 << 16);
        tokens = new long[capacity];
        done = new boolean[capacity];
    }

    private int at(long number) {
        return (int) number & (tokens.length - 1);
    }

    /** Adds a send. Called by the sending thread, which makes sure that {@link #finish} has not been called. */
    public void add(long token) {
        long number = sent;
        if (number - settled == tokens.length) {
            grow();
        }
        tokens[at(number)] = token;
        sent = number + 1;
    }

    /** Adds a send; returns false without adding it if {@link #finish} has been called. */
    public synchronized boolean addUnlessFinished(long token) {
        if (!finished) {
            add(token);
        }
        return !finished;
    }

    /** Removes the last send, because it failed. Returns false if it has been reported meanwhile. Called by the sending thread. */
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

    /** Returns the number of sends so far, which is the number of the next send. Any thread. */
    public long sent() {
        return sent;
    }

    /** Returns the number of unreported sends. Any thread. */
    public long count() {
        return sent - settled;
    }

    /** Returns the number of the first unreported send. Any thread. */
    public long first() {
        return settled;
    }

    /** Confirms the message with this number; has no effect if the send is not pending. */
    public synchronized void confirm(long number) {
        if (number == settled) {
            confirmUpTo(number);
        } else if (number > settled && number < sent && take(number)) {
            listener.confirmed(tokens[at(number)]);
        }
    }

    /** Confirms the messages from number {@code from} to number {@code to}, inclusive. */
    public synchronized void confirm(long from, long to) {
        if (from <= settled) {
            confirmUpTo(to);
        } else {
            for (long number = from; number <= to && number < sent; number++) {
                confirm(number);
            }
        }
    }

    /** Confirms every message up to this number, inclusive. */
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

    /** Advances {@link #settled} over sends that were reported out of order. */
    private void passDone() {
        long number = settled;
        while (outOfTurn > 0 && number < sent && done[at(number)]) {
            done[at(number)] = false;
            outOfTurn--;
            number++;
        }
        settled = number;
    }

    /** Reports the sends from {@code from} to {@code to}, inclusive, as refused by the broker, unless they are already reported. */
    public synchronized void refuse(long from, long to, Throwable cause) {
        for (long number = Math.max(from, settled); number <= to && number < sent; number++) {
            if (take(number)) {
                listener.failed(tokens[at(number)], cause);
            }
        }
        passDone();
    }

    /** Reports that the fate of the message with this number stays unknown, unless it is already reported. */
    public synchronized void giveUp(long number, Throwable cause) {
        if (number >= settled && number < sent && take(number)) {
            listener.unknown(tokens[at(number)], cause);
            passDone();
        }
    }

    /** Reports the message of this token as returned by the broker; a confirmation that follows has no effect. */
    public synchronized void returned(long token, Throwable cause) {
        for (long number = settled; number < sent; number++) {
            if (tokens[at(number)] == token) {
                refuse(number, number, cause);
                return;
            }
        }
    }

    /** Marks a send as reported; returns whether it was not reported before. */
    private boolean take(long number) {
        int at = at(number);
        if (done[at]) {
            return false;
        }
        done[at] = true;
        outOfTurn++;
        return true;
    }

    /** Confirms every send below this number, and reports them. */
    public synchronized void confirmBefore(long number) {
        confirmUpTo(number - 1);
        report();
    }

    /** Reports the gathered confirmations to the listener, with one call. */
    public synchronized void report() {
        if (confirmed) {
            confirmed = false;
            listener.confirmedUpTo(confirmedToken);
        }
    }

    /** Drops every unreported send, because its transaction was rolled back. */
    public synchronized void forgetAll() {
        report();
        if (outOfTurn > 0) {
            Arrays.fill(done, false);
            outOfTurn = 0;
        }
        settled = sent;
    }

    /** Reports every pending send as failed: the broker refused it, or will never receive it. */
    public void failAll(Throwable cause) {
        settleAll(cause, 0);
    }

    /** Reports that the fate of every pending send stays unknown. */
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
     * Reports every pending send, and nothing after that.
     *
     * @param given sends below this number were given to the broker, so that their fate is unknown; the others have failed
     */
    public synchronized void finish(Throwable cause, long given) {
        if (!finished) {
            settleAll(cause, given);
            finished = true;
        }
    }

    /** Reports every pending send, and nothing after that: all of them as failed, or the fate of all as unknown. */
    public void finish(Throwable cause, boolean failed) {
        finish(cause, failed ? 0 : Long.MAX_VALUE);
    }
}
