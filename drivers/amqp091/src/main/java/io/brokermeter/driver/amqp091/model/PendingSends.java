package io.brokermeter.driver.amqp091.model;

import java.util.Arrays;

import io.brokermeter.spi.SendListener;

/**
 * The sends of one producer that nobody has reported yet, by the number that the broker confirms them with: 1 for the first
 * message after a channel began to confirm. A ring of tokens, with no object for a message.
 *
 * <p>Threads: the sending thread adds; whoever confirms, refuses or ends takes this object's monitor, in which the listener is
 * called, so that its calls come one after another.
 */
public final class PendingSends {

    private final SendListener listener;
    /** The sending thread writes, and replaces them under the monitor. */
    private long[] tokens;
    /** Whether a send out of turn was reported; under the monitor. */
    private boolean[] done;
    private int outOfTurn;
    /** Sends so far; the sending thread writes. */
    private volatile long sent;
    /** Every send below is reported, or will be by {@link #report()}; under the monitor. */
    private volatile long settled;
    /** The send that the broker counts as its first; under the monitor. */
    private long base;
    private long confirmedToken;
    private boolean confirmed;
    private boolean finished;

    /** @param maxPending sends that may be unreported at a time, a hint; 0 for no limit */
    public PendingSends(SendListener listener, int maxPending) {
        this.listener = listener;
        int capacity = Math.clamp(Integer.highestOneBit(Math.max(64, maxPending)) * 2L, 128, 1 << 16);
        tokens = new long[capacity];
        done = new boolean[capacity];
    }

    /** Adds a send. The caller makes sure that {@link #finish} was not called; see {@link #addUnlessFinished}. */
    public void add(long token) {
        long number = sent;
        if (number - settled == tokens.length) {
            grow();
        }
        tokens[(int) number & (tokens.length - 1)] = token;
        sent = number + 1;
    }

    /** Adds a send; false when everything was finished before. */
    public synchronized boolean addUnlessFinished(long token) {
        if (finished) {
            return false;
        }
        add(token);
        return true;
    }

    /**
     * Takes back the send that was added last, since it failed.
     *
     * @return false when it was reported meanwhile
     */
    public synchronized boolean withdraw() {
        long last = sent - 1;
        int at = (int) last & (tokens.length - 1);
        if (settled > last || done[at]) {
            return false;
        }
        sent = last;
        return true;
    }

    private synchronized void grow() {
        long[] moreTokens = new long[tokens.length * 2];
        boolean[] moreDone = new boolean[moreTokens.length];
        for (long i = settled; i < sent; i++) {
            moreTokens[(int) i & (moreTokens.length - 1)] = tokens[(int) i & (tokens.length - 1)];
            moreDone[(int) i & (moreDone.length - 1)] = done[(int) i & (done.length - 1)];
        }
        tokens = moreTokens;
        done = moreDone;
    }

    /** Sends that are not reported. Any thread. */
    public long count() {
        return sent - settled;
    }

    /** Sends since the channel began to confirm; the broker's number of the next is one more. */
    public synchronized long sequence() {
        return sent - base;
    }

    /** A new channel takes over, which counts from 1: nobody knows what became of what the old one left unconfirmed. */
    public synchronized void restart(Throwable cause) {
        giveUpAll(cause);
        base = sent;
    }

    /** The broker has a message, or all up to it. */
    public synchronized void confirm(long sequence, boolean multiple) {
        long number = base + sequence - 1;
        if (multiple) {
            confirmUpTo(sequence == 0 ? sent - 1 : number);
        } else if (number == settled) {
            confirmUpTo(number);
        } else if (number > settled && number < sent) {
            int at = (int) number & (tokens.length - 1);
            if (!done[at]) {
                done[at] = true;
                outOfTurn++;
                listener.confirmed(tokens[at]);
            }
        }
    }

    private void confirmUpTo(long number) {
        long last = Math.min(number, sent - 1);
        if (last < settled) {
            return;
        }
        if (outOfTurn == 0) {
            confirmedToken = tokens[(int) last & (tokens.length - 1)];
            confirmed = true;
            settled = last + 1;
            return;
        }
        for (long each = settled; each <= last; each++) {
            int at = (int) each & (tokens.length - 1);
            if (done[at]) {
                done[at] = false;
                outOfTurn--;
            } else {
                confirmedToken = tokens[at];
                confirmed = true;
            }
        }
        settled = last + 1;
        passDone();
    }

    /** Moves {@link #settled} over sends that were reported by themselves. */
    private void passDone() {
        long number = settled;
        while (outOfTurn > 0 && number < sent && done[(int) number & (tokens.length - 1)]) {
            done[(int) number & (tokens.length - 1)] = false;
            outOfTurn--;
            number++;
        }
        settled = number;
    }

    /** The broker refused a message, or all up to it that are not reported. */
    public synchronized void refuse(long sequence, boolean multiple, Throwable cause) {
        long number = sequence == 0 ? sent - 1 : base + sequence - 1;
        for (long each = multiple ? settled : Math.max(number, settled); each <= number && each < sent; each++) {
            fail(each, cause);
        }
        passDone();
    }

    /** The broker gave back the message of this token; a confirmation that follows says nothing more about it. */
    public synchronized void returned(long token, Throwable cause) {
        for (long each = settled; each < sent; each++) {
            if (tokens[(int) each & (tokens.length - 1)] == token) {
                fail(each, cause);
                passDone();
                return;
            }
        }
    }

    private void fail(long number, Throwable cause) {
        if (take(number)) {
            listener.failed(tokens[(int) number & (tokens.length - 1)], cause);
        }
    }

    /** Whether a send was not reported yet; from now on it counts as reported. */
    private boolean take(long number) {
        int at = (int) number & (tokens.length - 1);
        if (done[at]) {
            return false;
        }
        done[at] = true;
        outOfTurn++;
        return true;
    }

    /** The number, among all, of the send that comes next: for {@link #confirmBefore}. Sending thread. */
    public long mark() {
        return sent;
    }

    /** Confirms every send before a mark, and reports it. */
    public synchronized void confirmBefore(long mark) {
        confirmUpTo(mark - 1);
        report();
    }

    /** Tells the listener of the confirmations that came together, with one call. */
    public synchronized void report() {
        if (confirmed) {
            confirmed = false;
            listener.confirmedUpTo(confirmedToken);
        }
    }

    /** Everything that is not reported never will be: it was rolled back. */
    public synchronized void forgetAll() {
        report();
        Arrays.fill(done, false);
        outOfTurn = 0;
        settled = sent;
    }

    /** Everything that is not reported has failed: it was refused, or the broker never gets it. */
    public synchronized void failAll(Throwable cause) {
        report();
        for (long number = settled; number < sent; number++) {
            fail(number, cause);
        }
        passDone();
    }

    /** Nobody will ever know what became of everything that is not reported. */
    public synchronized void giveUpAll(Throwable cause) {
        report();
        for (long number = settled; number < sent; number++) {
            if (take(number)) {
                listener.unknown(tokens[(int) number & (tokens.length - 1)], cause);
            }
        }
        passDone();
    }

    /**
     * Nothing more will be sent, and nothing that is not reported will be confirmed.
     *
     * @param refused whether that has failed for certain; otherwise nobody knows what became of it
     */
    public synchronized void finish(Throwable cause, boolean refused) {
        if (!finished) {
            if (refused) {
                failAll(cause);
            } else {
                giveUpAll(cause);
            }
            finished = true;
        }
    }
}
