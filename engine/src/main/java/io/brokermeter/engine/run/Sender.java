package io.brokermeter.engine.run;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.Activity;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * One producer of a run: its messages, its {@link Window} and the fate of each message. Its send loop sends; the client's threads confirm.
 */
final class Sender implements SendListener, Window.Confirmed {

    /** In place of no limit: the ring must have an end. */
    static final int UNLIMITED_WINDOW = 1 << 20;

    /** Holding a message back for less than this, half of it in the mean, is not worth a write of its own. */
    private static final long SHORTEST_HOLD = 80_000;
    private static final long LONGEST_HOLD = 10_000_000;
    private static final int MOST_HELD = 256;

    final ProducerPlan plan;
    final Counter sent = new Counter();
    final Counter blocked = new Counter();
    final Counter completed = new Counter();
    final Counter failed = new Counter();
    final Counter strayConfirmations = new Counter();
    final Counter rolledBack = new Counter();
    /** Sends whose fate stays unknown. */
    final Counter givenUp = new Counter();
    /** Sends by the phase in which they went out, which a late one was not due in. */
    final Counter[] sentInPhase;
    final SequenceSet confirmed = SequenceSet.forOneWriter();
    final SequenceSet rolledBackTokens = SequenceSet.forOneWriter();
    /** Both the sending and the confirming threads add to it. */
    final SequenceSet failedTokens = SequenceSet.forManyWriters();

    private final Clock clock;
    private final SendLoop loop;
    final Window window;
    private final Failures failures;
    private final Lane acks;
    private final @Nullable Lane delays;
    private final @Nullable RequestReply request;
    private final boolean bare;
    /** For each selection of the run, for each variant, whether it is selected. */
    private final boolean[][] selected;
    private final SequenceSet[] confirmedSelected;
    private final RandomDraw random;
    private final @Nullable Pauses pauses;
    private final double rollbackShare;
    private final int commitInterval;
    /** The sending thread is woken when no more messages than this are in flight. */
    private final int wakeBelow;
    private final int mostHeld;
    private final MessageSource source;
    private final Payload payload;
    private @Nullable Producer producer;
    private PhaseTimes phases = PhaseTimes.ONE;
    private final @Nullable Activity activity;
    /** Set when its connection is lost; cleared by the sending thread when it takes the producer that comes in its place. */
    volatile boolean suspended;
    private volatile @Nullable Throwable loss;
    /** While suspended: whether the sending thread knows, so that it is in no call of the old producer. Under the monitor. */
    private boolean standing;
    /** What comes in place of the lost producer. Under the monitor. */
    private @Nullable Producer replacement;
    /** Messages that were in flight when a client began to restore its connection; it may send them again. */
    private final SequenceSet inDoubt = SequenceSet.forManyWriters();
    private final SequenceSet givenUpTokens = SequenceSet.forManyWriters();

    // Sending thread only.
    /** The token that the message at hand was made for. */
    private long madeFor = -1;
    private int inTransaction;
    /** The first message of the transaction. */
    private long transactionFrom;
    /** Sends since the last flush, when the first of them was, and for how long it may be held back. */
    private int held;
    private long heldSince;
    /** Whether the loop has it in its list of producers that may hold something. */
    private boolean listed;
    private long holdFor = SHORTEST_HOLD;
    private long meanAck;
    private boolean blockedCounted;
    private int failuresInRow;
    private long retryAt;
    private long lastSend;

    /** How long the last confirmation took, by the confirming thread; the sending thread need not see the newest. */
    private long lastAck;

    /**
     * A producer that is not connected yet.
     *
     * @param group it belongs to
     * @param loop of the thread that is to send for it
     */
    Sender(ProducerPlan plan, ProducerGroup group, Participants.Shared with, MessageSource source, long seed, SendLoop loop) {
        ProducerSide side = group.side();
        this.plan = plan;
        this.activity = with.activity();
        this.clock = with.clock();
        this.loop = loop;
        this.failures = with.failures();
        this.acks = with.recording().lane(Metric.SEND, group.index());
        this.delays = loop.scheduled() ? with.recording().lane(Metric.SEND_DELAY, group.index()) : null;
        this.request = side.request();
        this.bare = side.messages().bare();
        this.selected = with.selections().of(group);
        this.confirmedSelected = new SequenceSet[selected.length];
        for (int i = 0; i < selected.length; i++) {
            confirmedSelected[i] = SequenceSet.forOneWriter();
        }
        this.random = new RandomDraw(seed);
        this.pauses = side.thinkTime().isNone() ? null : new Pauses(RandomDraw.of(side.thinkTime(), seed + 1), side.batch());
        this.rollbackShare = side.rollbackShare();
        this.commitInterval = side.commitInterval();
        this.sentInPhase = Counter.row(with.timetable().phaseCount());
        // All producers of the run share the memory for unlimited windows.
        int unlimited = Math.max(256, Integer.highestOneBit(UNLIMITED_WINDOW * 4 / Math.max(4, with.plan().producerCount())));
        int asked = side.maxPending() == 0 ? unlimited : side.maxPending();
        // A commit confirms its whole transaction, so the window must hold one.
        int size = Math.max(asked, commitInterval);
        this.window = new Window(size, request == null ? null : request.timeout(), selected.length > 0);
        // Waking the sending thread for each confirmation would cost more than the message. At a part of 1/32 of the window half of
        // that is free in the mean. But a pause begins when everything is settled, and not before.
        this.wakeBelow = pauses == null ? size - Math.max(1, size / 32) : 0;
        // What is not written is not confirmed, so at most half of the window is held back.
        this.mostHeld = Math.clamp(size / 2, 1, MOST_HELD);
        this.source = source;
        this.payload = source.payload();
    }

    void attach(Producer spiProducer) {
        this.producer = spiProducer;
    }

    void begin(PhaseTimes times) {
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

    /** Its connection is lost: nothing more is sent until there is another producer. The recovering thread. */
    void suspend() {
        synchronized (this) {
            replacement = null;
            standing = false;
            suspended = true;
        }
        loop.lookAround();
    }

    /** Whether the sending thread knows that its producer is lost, and has left it. */
    synchronized boolean isStanding() {
        return standing || loop.finished();
    }

    /**
     * Gives up what is still in flight, when the lost producer is closed and reports nothing more. The recovering thread.
     *
     * @param cause why it was lost
     */
    void giveUpPending(Throwable cause) {
        long before = givenUp.get();
        window.forEachPending(this::giveUp);
        failures.addUnknown(cause, givenUp.get() - before);
    }

    /** Its connection is lost, and there will be no other: what is in flight stays so. Any thread. */
    void lost(Throwable cause) {
        loss = cause;
    }

    /** Why its connection was lost that was not made anew; null when it was not lost. */
    @Nullable Throwable loss() {
        return loss;
    }

    /** Goes on with another producer; the recovering thread. */
    void replace(Producer next) {
        synchronized (this) {
            replacement = next;
        }
        Thread waiting = loop.waiting;
        if (waiting != null) {
            loop.wake(waiting);
        }
    }

    /** The sending thread is outside of all calls of its producer: notes a loss, and takes what came in its place. */
    void lookAround() {
        if (suspended) {
            resumes();
        }
    }

    private synchronized boolean resumes() {
        standing = true;
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

    /** Its client has begun to restore its connection, and may send again what is in flight. Any thread. */
    void doubt() {
        window.forEachPending(inDoubt::add);
    }

    /** Whether the client may have sent a message a second time by itself. Any thread. */
    boolean isInDoubt(long token) {
        return inDoubt.contains(token);
    }

    /** Messages that the client may have sent a second time by itself. */
    SequenceSet doubted() {
        return inDoubt;
    }

    /** How many messages were confirmed that were in flight when a client began to restore its connection. */
    long doubtedConfirmed() {
        return inDoubt.size() - inDoubt.sizeWithout(confirmed);
    }

    // ---- sending thread ----

    /** Whether the next message may be sent now. */
    boolean maySend() {
        if (suspended && !resumes()) {
            return false;
        }
        boolean full = window.isFull();
        if (request != null && (full || pauses != null)) {
            // A pause, too, waits for requests that nobody answers.
            expireRequests(clock.nanos());
            full = window.isFull();
        }
        return !full && (pauses == null || pauses.areOver(window, inTransaction, lastSend, clock))
            && (retryAt == 0 || clock.nanos() >= retryAt);
    }

    /** Gives up requests that got no reply in time; {@link Window#expiresIn}. The sending thread, or any when that has ended. */
    long expireRequests(long now) {
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

    /** Whether the sending thread should stop waiting for this producer: enough of its window is free. */
    boolean worthWaking() {
        return window.inFlightNow() <= wakeBelow + (pauses == null ? 0 : inTransaction) && maySend();
    }

    /** Whether as many messages are in flight as may be. */
    boolean isFull() {
        return window.inFlight() >= window.size();
    }

    /** Notes that the next message found the window full; once per message. */
    void countBlocked() {
        if (!blockedCounted && retryAt == 0 && !suspended && isFull()) {
            blockedCounted = true;
            blocked.increment();
        }
    }

    /** Sends one message now, unless it is {@code end} or later; when that was. */
    long sendBefore(long end) {
        return send(0, end);
    }

    /** Sends one message that was intended at {@code intended}; 0 means now. Returns when that was. */
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
        window.take(due, now, payload.variant());
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
            sent.increment();
            failuresInRow = 0;
            retryAt = 0;
        } catch (Exception e) {
            sent.increment();
            fail(token, e);
            backOff();
            return now;
        }
        if (delays != null) {
            delays.record(now - due, phase);
        }
        sentInPhase[phases.at(now)].increment();
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

    /** Ends an open transaction. */
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
            // The driver has reported each token of a commit as failed, with this cause, and reports none of a rollback.
            if (back) {
                giveUpPending(e);
            }
            backOff();
        }
    }

    /** Takes the sends of the transaction out of the window, which were rolled back; one between them may have failed before. */
    private void dropTransaction() {
        settles(clock.nanos());
        for (long token = transactionFrom; token < window.next(); token++) {
            if (window.drop(token)) {
                rolledBackTokens.add(token);
                rolledBack.increment();
            }
        }
    }

    /** Lets coalesced writes go out. */
    void flush() {
        if (held > 0) {
            held = 0;
            if (suspended) {
                return;
            }
            try {
                producer().flush();
            } catch (Exception e) {
                failures.add(e);
                backOff();
            }
            // The time that a message is held back counts as the broker's, so it stays a small part of that: half of a
            // sixteenth in the mean.
            meanAck += (lastAck - meanAck) >> 3;
            holdFor = Math.clamp(meanAck >> 4, SHORTEST_HOLD, LONGEST_HOLD);
        }
    }

    /** The same, by the loop, which drops this producer from its list until it holds something again. */
    void flushListed() {
        listed = false;
        flush();
    }

    /** Lets coalesced writes go out that have been held back for long enough, although others are still being sent. */
    void flushOverdue(long now) {
        if (held > 0 && now - heldSince > holdFor && inTransaction == 0) {
            flush();
        }
    }

    /** After a failure wait a little, longer each time, so that a dead broker is not hammered. */
    private void backOff() {
        failuresInRow = Math.min(failuresInRow + 1, 100);
        retryAt = clock.nanos() + failuresInRow * 1_000_000L;
    }

    /** When a producer that is waiting after a failure or between messages may go on; 0 when it is not waiting. */
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

    /** A message was confirmed; by {@link Window}. */
    @Override
    public void accept(long token, long intended, long sentAt, int variant, long now) {
        lastAck = now - sentAt;
        settles(now);
        acks.record(now - sentAt, phases.of(intended, now));
        confirmed.add(token);
        for (int i = 0; i < selected.length; i++) {
            if (selected[i][variant]) {
                confirmedSelected[i].add(token);
            }
        }
        completed.increment();
        if (activity != null) {
            activity.confirmed(now);
        }
    }

    /**
     * A reply to a request has come; any thread, but one at a time for one producer.
     *
     * @param now when it came
     * @return whether that request was still waiting for it: not when its time was over
     */
    boolean answered(long token, long now) {
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

    /** Counts a message as failed; false when it is not pending. */
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

    /** News of a message that is not in flight: of one that a lost connection left behind it says nothing. */
    private void stray(long token) {
        if (token < 0 || !givenUpTokens.contains(token)) {
            strayConfirmations.increment();
        }
    }

    /**
     * The atomic add before this call orders the new count before this look at whether anybody waits for it; and a
     * sending thread publishes that it waits after its last token, so the token read here is that one.
     */
    private void wake() {
        Thread waiting = loop.waiting;
        if (waiting != null && window.inFlight() <= wakeBelow) {
            loop.wake(waiting);
        }
    }

    // ---- any thread ----

    boolean bare() {
        return bare;
    }

    /** The confirmed sequence numbers: all, then those of each selection. */
    SequenceSet[] confirmations() {
        SequenceSet[] all = new SequenceSet[confirmedSelected.length + 1];
        all[0] = confirmed;
        System.arraycopy(confirmedSelected, 0, all, 1, confirmedSelected.length);
        return all;
    }

    /** Sends whose fate is not known: in flight, or given up by the client. Exact when the sending thread has ended. */
    long unconfirmed() {
        return sent.get() - completed.get() - failed.get() - rolledBack.get();
    }

    /** Sends whose fate may still get known; exact when the sending thread has ended. */
    long pending() {
        return unconfirmed() - givenUp.get();
    }

    /** Sends that the broker owes an answer to, which those of an open transaction are not yet; about, while sending goes on. */
    long awaited() {
        return pending() - inTransaction;
    }

    /** How many messages may be in flight. */
    int window() {
        return window.size();
    }

    /** Requests that got no reply in time so far; exact when the sending thread has ended. */
    long unanswered() {
        return window.late() + unreplied();
    }

    /** Requests that wait for a reply; 0 for a producer of plain messages. Exact when the sending thread has ended. */
    long unreplied() {
        return window.unreplied(sent.get());
    }

    /** When the last message was sent, nanoseconds since the epoch; 0 when none was. Once the sending thread has ended. */
    long lastSend() {
        return lastSend;
    }
}
