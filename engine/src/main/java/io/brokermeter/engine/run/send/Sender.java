package io.brokermeter.engine.run.send;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.recording.lane.PhaseCounter;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import org.jspecify.annotations.Nullable;

/** A producer of a run: its messages and its {@link Window}. Its loop sends; the client's threads report to its {@link SendReports}. */
public final class Sender {

    /** The shortest hold time, in nanoseconds: avoiding a shorter one, half of it in the mean, is not worth a write of its own. */
    static final long SHORTEST_HOLD = 80_000;
    static final long LONGEST_HOLD = 10_000_000;
    private static final int MOST_HELD = 256;

    public final ProducerPlan plan;
    /** What the client reports; the listener of the producer. */
    public final SendReports reports;
    /** What happens when the connection of the producer is lost. */
    public final SenderRecovery recovery;
    /** Number of sends by the phase in which they went out; a late send was due in an earlier phase. */
    public final PhaseCounter sent;
    private final PhaseCounter sentBytes;

    private final Clock clock;
    private final SendLoop loop;
    final Window window;
    private final @Nullable Lane delays;
    private final @Nullable Pauses pauses;
    /** Null for a producer without transactions. */
    private final @Nullable SendTransaction transaction;
    private final int mostHeld;
    private final MessageSource source;
    private final Payload payload;
    private @Nullable Producer producer;
    private PhaseTimes phases = PhaseTimes.ONE;
    /** Whether the connection is lost and being restored. Cleared by the sending thread when it takes over the new producer. */
    volatile boolean suspended;

    // Sending thread only.
    /** The token for which the current message was made. */
    private long madeFor = -1;
    /** Number of sends since the last flush, the time of the first of them, and how long it may be held back ({@link #holdFor}). */
    private int held;
    private long heldSince;
    /** Whether this producer is in the loop's list of producers that may hold messages back. */
    private boolean listed;
    private long holdFor = SHORTEST_HOLD;
    private boolean blockedCounted;
    private long retryAt;
    private long lastSend;

    /**
     * Creates a producer that is not connected yet.
     *
     * @param group the group that it belongs to
     * @param loop the loop of the thread that sends for it
     */
    public Sender(ProducerPlan plan, ProducerGroup group, Participants.Shared with, MessageSource source, long seed, SendLoop loop) {
        ProducerGroupSpec spec = group.spec();
        this.plan = plan;
        this.clock = with.clock();
        this.loop = loop;
        this.delays = loop.scheduled() && group.counts() == null ? with.recording().lane(Metric.SEND_DELAY, group.index()) : null;
        this.pauses = spec.thinkTime().isNone() ? null : new Pauses(RandomDraw.of(spec.thinkTime(), seed + 1), spec.batch());
        this.transaction = spec.commitInterval() == 0 ? null : new SendTransaction(spec.commitInterval(), spec.rollbackShare(), seed);
        this.reports = new SendReports(group, with, source, pauses, loop);
        this.recovery = new SenderRecovery(this, loop);
        this.window = reports.window;
        this.sent = reports.counters.of(Count.SENT, with.timetable().phaseCount());
        this.sentBytes = reports.counters.of(Count.SENT_BYTES, with.timetable().phaseCount());
        // What is not written is not confirmed, so at most half of the window is held back, unless it is confirmed all the same: then the
        // window is not asked again until the next flush.
        this.mostHeld = Math.clamp(window.size() / 2, 1, MOST_HELD);
        this.source = source;
        this.payload = source.payload();
    }

    public void attach(Producer spiProducer) {
        this.producer = spiProducer;
    }

    public void begin(PhaseTimes times) {
        this.phases = times;
        reports.begin(times);
    }

    Producer producer() {
        Producer p = producer;
        if (p == null) {
            throw new IllegalStateException("The producer is not connected.");
        }
        return p;
    }

    /** Goes on with another producer in place of one whose connection was lost. Called by the sending thread. */
    void resumeWith(Producer next) {
        producer = next;
        if (transaction != null) {
            transaction.open = 0;
        }
        held = 0;
        retryAt = 0;
        suspended = false;
    }

    // ---- sending thread ----

    /** Returns whether the next message may be sent now. */
    boolean maySend() {
        if (suspended && !recovery.resumes()) {
            return false;
        }
        boolean full = window.isFull();
        if (window.asks() && (full || pauses != null)) {
            // Pauses wait for requests, too, so requests that nobody answers have to expire.
            expireRequests(clock.nanos());
            full = window.isFull();
        }
        return !full && (pauses == null || pauses.areOver(window, inTransaction(), lastSend, clock))
            && (retryAt == 0 || clock.nanos() >= retryAt);
    }

    /** Gives up requests that got no reply in time; returns {@link Window#expiresIn}. The sending thread, or any when that has ended. */
    public long expireRequests(long now) {
        if (window.expire(now)) {
            reports.settles(now);
        }
        return window.expiresIn(now);
    }

    /** Returns whether the sending thread should stop waiting for this producer: enough of its window is free, and it may send. */
    boolean worthWaking() {
        return window.inFlightNow() <= reports.wakeBelow + (pauses == null ? 0 : inTransaction()) && maySend();
    }

    /** Returns whether as many messages are in flight as the window allows. */
    boolean isFull() {
        return window.inFlight() >= window.size();
    }

    /** Counts the next message as blocked if it found the window full; once per message. */
    void countBlocked() {
        if (!blockedCounted && retryAt == 0 && !suspended && isFull()) {
            blockedCounted = true;
            reports.blocked.increment();
        }
    }

    /** Sends one message now, unless it is {@code end} or later. Returns the reading of the clock, in nanoseconds since the epoch. */
    long sendBefore(long end) {
        return send(0, end);
    }

    /** Sends one message that is due at {@code intended}, where 0 means now. Returns the time of the send. */
    long send(long intended) {
        return send(intended, Long.MAX_VALUE);
    }

    private long send(long intended, long end) {
        long token = window.next();
        if (madeFor != token) {
            madeFor = token;
            source.next(token);
        }
        long now = clock.nanos();
        if (now >= end) {
            return now;
        }
        long due = intended == 0 ? now : intended;
        int phase = phases.of(due, now);
        window.take(due, now, Confirmations.note(payload));
        blockedCounted = false;
        source.stamp(token, due, now - due);
        if (held++ == 0) {
            heldSince = now;
            if (!listed) {
                listed = true;
                loop.holds(this);
            }
        }
        try {
            producer().send(payload, token);
            if (retryAt != 0) {
                retryAt = 0;
                recovery.worksAgain();
            }
        } catch (Exception e) {
            reports.fail(token, e);
            backOff();
            return now;
        } finally {
            int sentIn = phases.at(now);
            sent.increment(sentIn);
            sentBytes.add(sentIn, payload.length());
        }
        if (delays != null) {
            delays.record(now - due, phase);
        }
        lastSend = now;
        if (transaction != null) {
            if (transaction.open++ == 0) {
                transaction.from = token;
            }
            if (transaction.open >= transaction.interval) {
                commit();
            }
        } else if (held == mostHeld && window.inFlight() > 0 || now - heldSince > holdFor) {
            flush();
        }
        return now;
    }

    /** Ends an open transaction: commits it, or rolls it back on purpose. */
    void commit() {
        if (transaction == null || transaction.open == 0 || suspended) {
            return;
        }
        transaction.open = 0;
        boolean back = transaction.isRolledBack();
        try {
            if (back) {
                producer().rollback();
                drop(transaction);
            } else {
                producer().commit();
            }
        } catch (Exception e) {
            // The driver has reported each token of a commit, as failed or as unknown, and reports none of a rollback.
            if (back) {
                reports.giveUpPending(e);
            }
            backOff();
        }
    }

    /** Takes the sends of a transaction that was rolled back out of the window. Some of them may have failed before. */
    private void drop(SendTransaction rolledBack) {
        reports.settles(clock.nanos());
        for (long token = rolledBack.from; token < window.next(); token++) {
            reports.rolledBack(token);
        }
    }

    /** Returns the number of messages of the open transaction; approximate on other threads than the sending one. */
    private int inTransaction() {
        return transaction == null ? 0 : transaction.open;
    }

    /** Flushes writes that were held back to coalesce them. */
    void flush() {
        if (held > 0) {
            held = 0;
            if (suspended) {
                return;
            }
            try {
                producer().flush();
            } catch (Exception e) {
                // No failed send: the fate of each message is reported by itself, and the loss of the connection by its listener.
                backOff();
            }
            holdFor = reports.nextHold();
        }
    }

    /** Flushes as {@link #flush}. Called by the loop, which drops this producer from its list until it holds something again. */
    void flushListed() {
        listed = false;
        flush();
    }

    /** Flushes writes that have been held back for longer than {@link #holdFor}, although others are still being sent. */
    void flushOverdue(long now) {
        if (held > 0 && now - heldSince > holdFor && inTransaction() == 0) {
            flush();
        }
    }

    private void backOff() {
        retryAt = clock.nanos() + recovery.backOff();
    }

    /** Returns when a producer that waits after a failure or between messages may go on; 0 when it is not waiting. */
    long retryAt() {
        return pauses == null ? retryAt : Math.max(retryAt, pauses.until(window.next()));
    }

    // ---- any thread ----

    /** Returns the number of sends of unknown fate: in flight, or given up. Exact when the sending thread has ended. */
    public long unconfirmed() {
        return sent.get() - reports.completed.get() - reports.failed.get() - reports.rolledBack.get();
    }

    /** Returns the number of sends whose fate may still become known. Exact when the sending thread has ended. */
    public long pending() {
        return unconfirmed() - reports.givenUp.get();
    }

    /** Returns the number of sends that await the broker's answer, without those of an open transaction; approximate while sending. */
    public long awaited() {
        return pending() - inTransaction();
    }

    /** Returns the largest number of messages that may be in flight. */
    public int window() {
        return window.size();
    }

    /** Returns the number of requests that got no reply in time, or none so far. Exact when the sending thread has ended. */
    public long unanswered() {
        return window.late() + unreplied();
    }

    /** Returns the number of requests that wait for a reply, 0 for plain messages. Exact when the sending thread has ended. */
    public long unreplied() {
        return window.unreplied(sent.get());
    }

    /** Returns when the last message was sent, in nanoseconds since the epoch; 0 for none. Valid when the sending thread has ended. */
    long lastSend() {
        return lastSend;
    }
}
