package io.brokermeter.engine.run.send;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.recording.lane.PhaseCounter;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/** A producer of a run: its messages, its {@link Window} and the fate of each message. Its loop sends; the client's threads confirm. */
public final class Sender implements SendListener, Window.Confirmed {

    /** The shortest hold time, in nanoseconds: avoiding a shorter one, half of it in the mean, is not worth a write of its own. */
    static final long SHORTEST_HOLD = 80_000;
    private static final long LONGEST_HOLD = 10_000_000;
    private static final int MOST_HELD = 256;

    public final ProducerPlan plan;
    public final Counters counters = new Counters();
    /** Number of sends by the phase in which they went out; a late send was due in an earlier phase. */
    public final PhaseCounter sent;
    final Counter blocked = counters.of(Count.BLOCKED);
    public final Counter completed = counters.of(Count.COMPLETED);
    public final Counter failed = counters.of(Count.FAILED);
    final Counter rolledBack = counters.of(Count.ROLLED_BACK);
    private final PhaseCounter sentBytes;
    public final Counter strayConfirmations = new Counter();
    /** Number of sends whose fate stays unknown. */
    public final Counter givenUp = new Counter();
    public final Confirmations confirmed;
    public final SequenceSet rolledBackTokens = SequenceSet.forOneWriter();
    /** Sequence numbers of failed messages. Both the sending and the confirming threads add to it. */
    public final SequenceSet failedTokens = SequenceSet.forManyWriters();

    private final Clock clock;
    private final SendLoop loop;
    final Window window;
    private final Failures failures;
    private final Lane acks;
    private final @Nullable Lane delays;
    private final @Nullable RequestReply request;
    private final boolean bare;
    private final RandomDraw random;
    private final @Nullable Pauses pauses;
    private final double rollbackShare;
    private final int commitInterval;
    /** The largest number of messages in flight at which the sending thread is woken. */
    private final int wakeBelow;
    private final int mostHeld;
    private final MessageSource source;
    private final Payload payload;
    private @Nullable Producer producer;
    private PhaseTimes phases = PhaseTimes.ONE;
    private final @Nullable Activity activity;
    /** Whether the connection is lost and being restored. Cleared by the sending thread when it takes over the new producer. */
    volatile boolean suspended;
    private volatile @Nullable Throwable loss;
    /** While suspended, whether the sending thread knows, so that it is in no call of the old producer. Guarded by the monitor. */
    private boolean quiesced;
    /** The producer that replaces the lost one, until the sending thread takes it over. Guarded by the monitor. */
    private @Nullable Producer replacement;
    /** Sequence numbers of messages that were in flight when a client began to restore its connection, and that it may send again. */
    private final SequenceSet inDoubt = SequenceSet.forManyWriters();
    private final SequenceSet givenUpTokens = SequenceSet.forManyWriters();

    // Sending thread only.
    /** The token for which the current message was made. */
    private long madeFor = -1;
    private int inTransaction;
    /** The token of the first message of the transaction. */
    private long transactionFrom;
    /** Number of sends since the last flush, the time of the first of them, and how long it may be held back ({@link #holdFor}). */
    private int held;
    private long heldSince;
    /** Whether this producer is in the loop's list of producers that may hold messages back. */
    private boolean listed;
    private long holdFor = SHORTEST_HOLD;
    private long meanAck;
    private boolean blockedCounted;
    private int failuresInRow;
    private long retryAt;
    private long lastSend;

    /** The last confirmation time, in nanoseconds. Written by the confirming thread; the sending thread may read an older one. */
    private long lastAck;

    /**
     * Creates a producer that is not connected yet.
     *
     * @param group the group that it belongs to
     * @param loop the loop of the thread that sends for it
     */
    public Sender(ProducerPlan plan, ProducerGroup group, Participants.Shared with, MessageSource source, long seed, SendLoop loop) {
        ProducerGroupSpec spec = group.spec();
        this.plan = plan;
        this.activity = group.counts() == null ? with.activity() : null;
        this.clock = with.clock();
        this.loop = loop;
        this.failures = with.failures();
        this.acks = with.recording().lane(Metric.SEND, group.index());
        this.delays = loop.scheduled() && group.counts() == null ? with.recording().lane(Metric.SEND_DELAY, group.index()) : null;
        this.request = spec.request();
        this.bare = spec.messages().bare();
        this.confirmed = new Confirmations(with.selections().of(group), source, counters.of(Count.COMPLETED_BYTES));
        this.random = new RandomDraw(seed);
        this.pauses = spec.thinkTime().isNone() ? null : new Pauses(RandomDraw.of(spec.thinkTime(), seed + 1), spec.batch());
        this.rollbackShare = spec.rollbackShare();
        this.commitInterval = spec.commitInterval();
        this.sent = counters.of(Count.SENT, with.timetable().phaseCount());
        this.sentBytes = counters.of(Count.SENT_BYTES, with.timetable().phaseCount());
        int size = spec.window(with.plan().producerCount());
        this.window = new Window(size, request == null ? null : request.timeout(), confirmed.areNoted());
        counters.add(Count.UNANSWERED, window::late);
        // Waking the sending thread for each confirmation would cost more than the message, so it is woken when 1/32 of the window is free;
        // half of that is free in the mean. A pause begins only when everything is settled, so with pauses it is woken then.
        this.wakeBelow = pauses == null ? size - Math.max(1, size / 32) : 0;
        // What is not written is not confirmed, so at most half of the window is held back.
        this.mostHeld = Math.clamp(size / 2, 1, MOST_HELD);
        this.source = source;
        this.payload = source.payload();
    }

    public void attach(Producer spiProducer) {
        this.producer = spiProducer;
    }

    public void begin(PhaseTimes times) {
        this.phases = times;
    }

    Producer producer() {
        Producer p = producer;
        if (p == null) {
            throw new IllegalStateException("The producer is not connected.");
        }
        return p;
    }

    // ---- the loss of its connection ----

    /** Stops sending until there is another producer, because the connection is lost. Called by the thread that found the loss. */
    public void suspend() {
        synchronized (this) {
            replacement = null;
            quiesced = false;
            suspended = true;
        }
        loop.onConnectionLost();
    }

    /** Returns whether the sending thread knows that its producer is lost, and is in no call of it. */
    public synchronized boolean isQuiesced() {
        return quiesced || loop.finished();
    }

    /**
     * Gives up what is still in flight. Called by the recovering thread when the lost producer is closed and
     * reports nothing more, and by the sending thread after a rollback that failed.
     *
     * @param cause why nobody will report them
     */
    public void giveUpPending(Throwable cause) {
        long before = givenUp.get();
        window.forEachPending(this::giveUp);
        failures.addUnknown(cause, givenUp.get() - before);
    }

    /** Notes that the connection is lost and will not be restored: what is in flight stays so. May be called by any thread. */
    public void lost(Throwable cause) {
        loss = cause;
    }

    /** Returns the cause given to {@link #lost}: why the connection was lost for good; null when it was not. */
    public @Nullable Throwable loss() {
        return loss;
    }

    /** Sets the producer to go on with. Called by the recovering thread. */
    public void replace(Producer next) {
        synchronized (this) {
            replacement = next;
        }
        Thread waiting = loop.waiting;
        if (waiting != null) {
            loop.wake(waiting);
        }
    }

    /** Notes a loss, and takes over the new producer. Called by the sending thread, outside of all calls of its producer. */
    void noteLoss() {
        if (suspended) {
            resumes();
        }
    }

    private synchronized boolean resumes() {
        quiesced = true;
        Producer next = replacement;
        if (next == null) {
            return false;
        }
        producer = next;
        replacement = null;
        inTransaction = 0;
        held = 0;
        failuresInRow = 0;
        retryAt = 0;
        suspended = false;
        return true;
    }

    /** Notes that the client has begun to restore its connection, and may send again what is in flight. Any thread may call this. */
    public void doubt() {
        window.forEachPending(inDoubt::add);
    }

    /** Returns whether the client may have sent a message a second time by itself. May be called by any thread. */
    public boolean isInDoubt(long token) {
        return inDoubt.contains(token);
    }

    /** Returns the sequence numbers of messages that the client may have sent a second time by itself. */
    public SequenceSet doubted() {
        return inDoubt;
    }

    /** Returns the number of confirmed messages that were in flight when a client began to restore its connection. */
    public long doubtedConfirmed() {
        return inDoubt.size() - inDoubt.sizeWithout(confirmed.all());
    }

    // ---- sending thread ----

    /** Returns whether the next message may be sent now. */
    boolean maySend() {
        if (suspended && !resumes()) {
            return false;
        }
        boolean full = window.isFull();
        if (request != null && (full || pauses != null)) {
            // Pauses wait for requests, too, so requests that nobody answers have to expire.
            expireRequests(clock.nanos());
            full = window.isFull();
        }
        return !full && (pauses == null || pauses.areOver(window, inTransaction, lastSend, clock))
            && (retryAt == 0 || clock.nanos() >= retryAt);
    }

    /** Gives up requests that got no reply in time; returns {@link Window#expiresIn}. The sending thread, or any when that has ended. */
    public long expireRequests(long now) {
        if (window.expire(now)) {
            settles(now);
        }
        return window.expiresIn(now);
    }

    private void settles(long now) {
        if (pauses != null) {
            pauses.settles(now);
        }
    }

    /** Returns whether the sending thread should stop waiting for this producer: enough of its window is free, and it may send. */
    boolean worthWaking() {
        return window.inFlightNow() <= wakeBelow + (pauses == null ? 0 : inTransaction) && maySend();
    }

    /** Returns whether as many messages are in flight as the window allows. */
    boolean isFull() {
        return window.inFlight() >= window.size();
    }

    /** Counts the next message as blocked if it found the window full; once per message. */
    void countBlocked() {
        if (!blockedCounted && retryAt == 0 && !suspended && isFull()) {
            blockedCounted = true;
            blocked.increment();
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
        window.take(due, now, confirmed.note());
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
            failuresInRow = 0;
            retryAt = 0;
        } catch (Exception e) {
            fail(token, e);
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
        if (commitInterval > 0) {
            if (inTransaction++ == 0) {
                transactionFrom = token;
            }
            if (inTransaction >= commitInterval) {
                commit();
            }
        } else if (held >= mostHeld || now - heldSince > holdFor) {
            flush();
        }
        return now;
    }

    /** Ends an open transaction: commits it, or rolls it back on purpose. */
    void commit() {
        if (inTransaction == 0 || suspended) {
            return;
        }
        inTransaction = 0;
        boolean back = rollbackShare > 0 && random.chance(rollbackShare);
        try {
            if (back) {
                producer().rollback();
                dropTransaction();
            } else {
                producer().commit();
            }
        } catch (Exception e) {
            // The driver has reported each token of a commit, as failed or as unknown, and reports none of a rollback.
            if (back) {
                giveUpPending(e);
            }
            backOff();
        }
    }

    /** Takes the sends of a transaction that was rolled back out of the window. Some of them may have failed before. */
    private void dropTransaction() {
        settles(clock.nanos());
        for (long token = transactionFrom; token < window.next(); token++) {
            if (window.drop(token)) {
                rolledBackTokens.add(token);
                rolledBack.increment();
            }
        }
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
            // The time for which a message is held back counts as the broker's, so it is kept a small part of that: half of a sixteenth in
            // the mean.
            meanAck += (lastAck - meanAck) >> 3;
            holdFor = Math.clamp(meanAck >> 4, SHORTEST_HOLD, LONGEST_HOLD);
        }
    }

    /** Flushes as {@link #flush}. Called by the loop, which drops this producer from its list until it holds something again. */
    void flushListed() {
        listed = false;
        flush();
    }

    /** Flushes writes that have been held back for longer than {@link #holdFor}, although others are still being sent. */
    void flushOverdue(long now) {
        if (held > 0 && now - heldSince > holdFor && inTransaction == 0) {
            flush();
        }
    }

    /** Delays the next send after a failure, by 1 ms more for each failure in a row, so that a dead broker is not flooded. */
    private void backOff() {
        failuresInRow = Math.min(failuresInRow + 1, 100);
        retryAt = clock.nanos() + failuresInRow * 1_000_000L;
    }

    /** Returns when a producer that waits after a failure or between messages may go on; 0 when it is not waiting. */
    long retryAt() {
        return pauses == null ? retryAt : Math.max(retryAt, pauses.until(window.next()));
    }

    // ---- confirming threads, one at a time ----

    @Override
    public void confirmed(long token) {
        if (window.confirm(token, clock.nanos(), this)) {
            wake();
        } else {
            stray(token);
        }
    }

    @Override
    public void confirmedUpTo(long token) {
        window.confirmUpTo(token, clock.nanos(), this);
        wake();
    }

    /** Records a confirmed message. Called by {@link Window}. */
    @Override
    public void accept(long token, long intended, long sentAt, long note, long now) {
        lastAck = now - sentAt;
        settles(now);
        acks.record(now - sentAt, phases.of(intended, now));
        confirmed.add(token, note);
        completed.increment();
        if (activity != null) {
            activity.confirmed(now);
        }
    }

    /**
     * Notes the reply to a request. May be called by any thread, but only one at a time for one producer.
     *
     * @param now when the reply came, in nanoseconds since the epoch
     * @return whether the request was still waiting for the reply; false when its time was over
     */
    public boolean answered(long token, long now) {
        settles(now);
        boolean inTime = window.answer(token, now);
        wake();
        return inTime;
    }

    @Override
    public void failed(long token, Throwable cause) {
        if (fail(token, cause)) {
            wake();
        } else {
            stray(token);
        }
    }

    /** Counts a message as failed. Returns false when it is not pending. */
    private boolean fail(long token, Throwable cause) {
        settles(clock.nanos());
        if (!window.drop(token)) {
            return false;
        }
        failed.increment();
        failedTokens.add(token);
        failures.add(cause);
        if (activity != null) {
            activity.failed(clock.nanos());
        }
        return true;
    }

    @Override
    public void unknown(long token, Throwable cause) {
        if (giveUp(token)) {
            failures.addUnknown(cause, 1);
            wake();
        } else {
            stray(token);
        }
    }

    private boolean giveUp(long token) {
        settles(clock.nanos());
        if (!window.drop(token)) {
            return false;
        }
        givenUp.increment();
        givenUpTokens.add(token);
        return true;
    }

    /** Counts a report about a message that is not in flight, unless the fate of that message was given up before as unknown. */
    private void stray(long token) {
        if (token < 0 || !givenUpTokens.contains(token)) {
            strayConfirmations.increment();
        }
    }

    /**
     * Wakes the sending thread if it waits for room and enough is free. The atomic add that settled the message comes before this read of
     * {@code waiting}, so either the waiting thread is seen here or it sees the new count. The sending thread publishes that it waits after
     * it took its last token, so the token read here is that one.
     */
    private void wake() {
        Thread waiting = loop.waiting;
        if (waiting != null && window.inFlight() <= wakeBelow) {
            loop.wake(waiting);
        }
    }

    // ---- any thread ----

    public boolean bare() {
        return bare;
    }

    /** Returns the number of sends of unknown fate: in flight, or given up. Exact when the sending thread has ended. */
    public long unconfirmed() {
        return sent.get() - completed.get() - failed.get() - rolledBack.get();
    }

    /** Returns the number of sends whose fate may still become known. Exact when the sending thread has ended. */
    public long pending() {
        return unconfirmed() - givenUp.get();
    }

    /** Returns the number of sends that await the broker's answer, without those of an open transaction; approximate while sending. */
    public long awaited() {
        return pending() - inTransaction;
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
