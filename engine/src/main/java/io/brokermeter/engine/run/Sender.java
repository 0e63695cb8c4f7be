package io.brokermeter.engine.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * One producer of a run: its in-flight window, its messages and the fate of each. Its send loop sends; the client's
 * threads confirm. The window is a ring of slots indexed by token; a slot is taken by the sending thread and freed by the
 * confirming one, so no lock, map or object per message is needed.
 */
final class Sender implements SendListener {

    /** In place of no limit: the ring must have an end. */
    static final int UNLIMITED_WINDOW = 1 << 20;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle COMPLETED;
    private static final long FREE = -1;
    /** Marks the token of a slot that the sending thread is about to set aside. */
    private static final long MOVING = Long.MIN_VALUE;
    /** Holding a message back for less than this, half of it in the mean, is not worth a write of its own. */
    private static final long SHORTEST_HOLD = 80_000;
    private static final long LONGEST_HOLD = 10_000_000;
    private static final int MOST_HELD = 256;

    static {
        try {
            COMPLETED = MethodHandles.lookup().findVarHandle(Sender.class, "settled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final ProducerPlan plan;
    final Counter sent = new Counter();
    final Counter blocked = new Counter();
    final Counter completed = new Counter();
    final Counter failed = new Counter();
    final Counter strayConfirmations = new Counter();
    final Counter rolledBack = new Counter();
    /** Sends of which nothing more will be heard, though nobody knows what became of them. */
    final Counter givenUp = new Counter();
    /** Requests that were given up, by the sending thread. */
    private final Counter expired = new Counter();
    /** Requests whose reply came after their time. */
    private final Counter answeredLate = new Counter();
    /** Sends by the phase in which they went out, which a late one was not due in. */
    final Counter[] sentInPhase;
    final SequenceSet confirmed = SequenceSet.forOneWriter();
    final SequenceSet rolledBackTokens = SequenceSet.forOneWriter();
    /** Both the sending and the confirming threads add to it. */
    final SequenceSet failedTokens = SequenceSet.forManyWriters();

    private final SendLoop loop;
    private final Failures failures;
    private final Lane acks;
    private final @Nullable Lane delays;
    private final @Nullable RequestReply request;
    private final boolean bare;
    private final boolean[][] selected;
    private final SequenceSet[] confirmedSelected;
    private final Counter[] selectedCount;
    /** Variant of the message in each slot, where selections need it. */
    private final int[] variantAt;
    private final Draw draw;
    private final @Nullable Draw thinking;
    private final int batch;
    private final double rollbackShare;
    private final int commitInterval;
    private final int window;
    /** So many messages in flight, or fewer, are worth waking the sending thread for. */
    private final int wakeBelow;
    private final int mostHeld;
    private final int mask;
    private final long[] slots;
    private final long[] intendedAt;
    private final long[] sentAt;
    /** In request and reply: the requests without a reply, by slot as {@link #slots}. */
    private final long[] requests;
    private final MessageSource source;
    private final Payload payload;
    /** Unconfirmed sends whose slot was needed again: token to {intended, sent, variant}. */
    private final ConcurrentHashMap<Long, long[]> stragglers = new ConcurrentHashMap<>();
    /** The same for requests without a reply. */
    private final ConcurrentHashMap<Long, long[]> oldRequests = new ConcurrentHashMap<>();

    private @Nullable Producer producer;
    private PhaseTimes phases = PhaseTimes.ONE;

    // Sending thread only.
    private long nextToken;
    /** The token that the message at hand was made for. */
    private long madeFor = -1;
    private int inTransaction;
    /** Sends since the last flush, when the first of them was, and for how long it may be held back. */
    private int held;
    private long heldSince;
    /** Whether the loop knows that something may be held. */
    private boolean listed;
    private long holdFor = SHORTEST_HOLD;
    private long meanAck;
    private boolean blockedCounted;
    private int failuresInRow;
    private long retryAt;
    private long pausedBefore;
    private long pauseUntil;
    private long oldestRequest;
    private long firstSend;
    private long lastSend;

    // Written by confirming threads, which exclude each other; read by the sending thread.
    @SuppressWarnings("unused")
    private long settled;
    private long lowestPending;
    /** How long the last confirmation took; the sending thread need not see the newest. */
    private long lastAck;

    /**
     * A producer that is not connected yet.
     *
     * @param selected for each selection of the run, for each variant, whether it is selected
     * @param producers number of producers of the run, which share the memory for unlimited windows
     * @param phaseCount number of phases
     */
    Sender(ProducerPlan plan, ProducerSide side, MessageSource source, boolean[][] selected, int producers, int phaseCount, long seed, SendLoop loop,
            Failures failures, Lane acks, @Nullable Lane delays) {
        this.plan = plan;
        this.loop = loop;
        this.failures = failures;
        this.acks = acks;
        this.delays = delays;
        this.request = side.request();
        this.bare = side.messages().bare();
        this.selected = selected;
        this.confirmedSelected = new SequenceSet[selected.length];
        for (int i = 0; i < selected.length; i++) {
            confirmedSelected[i] = SequenceSet.forOneWriter();
        }
        this.selectedCount = Counter.row(selected.length);
        this.draw = new Draw(seed);
        this.thinking = side.thinkTime().isNone() ? null : Draw.of(side.thinkTime(), seed + 1);
        this.batch = side.batch();
        this.rollbackShare = side.rollbackShare();
        this.commitInterval = side.commitInterval();
        this.sentInPhase = Counter.row(phaseCount);
        int unlimited = Math.max(256, Integer.highestOneBit(UNLIMITED_WINDOW * 4 / Math.max(4, producers)));
        int asked = side.maxPending() == 0 ? unlimited : side.maxPending();
        // A commit confirms its whole transaction, so the window must hold one.
        this.window = Math.max(asked, commitInterval);
        // Waking the sending thread for each confirmation would cost more than the message. At a part of 1/32 of the window half of
        // that is free in the mean. But a pause begins when everything is settled, and not before.
        this.wakeBelow = thinking == null ? window - Math.max(1, window / 32) : 0;
        // What is not written is not confirmed, so at most half of the window is held back.
        this.mostHeld = Math.clamp(window / 2, 1, MOST_HELD);
        int capacity = window <= 1 ? 2 : Integer.highestOneBit(window - 1) * 2;
        this.mask = capacity - 1;
        this.slots = new long[capacity];
        java.util.Arrays.fill(slots, FREE);
        this.requests = request == null ? new long[0] : slots.clone();
        this.intendedAt = new long[capacity];
        this.sentAt = new long[capacity];
        this.variantAt = new int[selected.length == 0 ? 0 : capacity];
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

    // ---- sending thread ----

    /** Whether one more message may be in flight now. */
    boolean open() {
        if (nextToken - (long) COMPLETED.getAcquire(this) >= window && (request == null || !expireRequests(EpochClock.nanos()))) {
            return false;
        }
        return (thinking == null || rested(thinking)) && (retryAt == 0 || EpochClock.nanos() >= retryAt);
    }

    /** Whether the pause that follows each message, or batch of them, is over. It begins when all of them are settled. */
    private boolean rested(Draw pauses) {
        if (nextToken == 0 || nextToken % batch != 0) {
            return true;
        }
        if (pausedBefore != nextToken) {
            if (nextToken - (long) COMPLETED.getAcquire(this) > 0) {
                return false;
            }
            pausedBefore = nextToken;
            pauseUntil = EpochClock.nanos() + pauses.next();
        }
        return EpochClock.nanos() >= pauseUntil;
    }

    /** Gives up requests that got no reply in time; whether that made room. The sending thread, or any when that has ended. */
    boolean expireRequests(long now) {
        if (request == null) {
            return false;
        }
        long limit = now - request.timeout().toNanos();
        boolean room = false;
        while (oldestRequest < nextToken) {
            long token = oldestRequest;
            int slot = (int) token & mask;
            boolean inRing = (long) SLOT.getAcquire(requests, slot) == token;
            long[] aside = inRing || oldRequests.isEmpty() ? null : oldRequests.get(token);
            if (inRing || aside != null) {
                if ((aside == null ? sentAt[slot] : aside[1]) > limit) {
                    break;
                }
                if (inRing ? SLOT.compareAndSet(requests, slot, token, FREE) : oldRequests.remove(token) != null) {
                    expired.increment();
                    COMPLETED.getAndAdd(this, 1L);
                    room = true;
                }
            }
            oldestRequest++;
        }
        return room;
    }

    /** Whether the sending thread should stop waiting for this producer: enough of its window is free. */
    boolean worthWaking() {
        return nextToken - (long) COMPLETED.getVolatile(this) <= wakeBelow && open();
    }

    /** Whether as many messages are in flight as may be. */
    boolean full() {
        return nextToken - (long) COMPLETED.getOpaque(this) >= window;
    }

    /** Notes that the next message found the window full; once per message. */
    void countBlocked() {
        if (!blockedCounted && retryAt == 0 && nextToken - (long) COMPLETED.getOpaque(this) >= window) {
            blockedCounted = true;
            blocked.increment();
        }
    }

    /** Sends one message now, unless it is {@code end} or later; when that was. */
    long sendBefore(long end) {
        return send(0, end);
    }

    /** Sends one message that was intended at {@code intended}; 0 means now. */
    void send(long intended) {
        send(intended, Long.MAX_VALUE);
    }

    private long send(long intended, long end) {
        long token = nextToken;
        int slot = (int) token & mask;
        if (madeFor != token) {
            madeFor = token;
            source.next(token);
        }
        long now = EpochClock.nanos();
        if (now >= end) {
            return now;
        }
        long due = intended == 0 ? now : intended;
        int phase = phases.of(due, now);
        long straggler = (long) SLOT.getAcquire(slots, slot);
        if (straggler != FREE) {
            setAside(slots, stragglers, straggler, slot);
        }
        if (request != null) {
            expireRequests(now);
            long waiting = (long) SLOT.getAcquire(requests, slot);
            if (waiting != FREE) {
                setAside(requests, oldRequests, waiting, slot);
            }
        }
        intendedAt[slot] = due;
        sentAt[slot] = now;
        if (variantAt.length > 0) {
            variantAt[slot] = payload.variant();
        }
        SLOT.setRelease(slots, slot, token);
        if (request != null) {
            SLOT.setRelease(requests, slot, token);
        }
        if (token == 0) {
            firstSend = now;
        }
        nextToken = token + 1;
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
            if (SLOT.compareAndSet(slots, slot, token, FREE)) {
                settle(token);
            }
            failed.increment();
            failedTokens.add(token);
            failures.add(e);
            backOff();
            return now;
        }
        if (delays != null) {
            delays.record(now - due, phase);
        }
        sentInPhase[phases.at(now)].increment();
        lastSend = now;
        if (commitInterval > 0 && ++inTransaction >= commitInterval) {
            commit();
        } else if (commitInterval == 0 && (held >= mostHeld || now - heldSince > holdFor)) {
            flush();
        }
        return now;
    }

    /** Ends an open transaction. */
    void commit() {
        if (inTransaction == 0) {
            return;
        }
        int size = inTransaction;
        inTransaction = 0;
        try {
            if (rollbackShare > 0 && draw.chance(rollbackShare)) {
                producer().rollback();
                forget(size);
                return;
            }
            producer().commit();
        } catch (Exception e) {
            // The driver has reported each token of the transaction as failed, with this cause.
            backOff();
        }
    }

    /** Frees the slots of the last sends, which were rolled back. */
    private void forget(int sends) {
        for (long token = nextToken - sends; token < nextToken; token++) {
            if (SLOT.compareAndSet(slots, (int) token & mask, token, FREE)) {
                rolledBackTokens.add(token);
                rolledBack.increment();
                COMPLETED.getAndAdd(this, 1L);
            }
        }
    }

    /** Lets coalesced writes go out. */
    void flush() {
        if (held > 0) {
            held = 0;
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

    /** The same, by the loop, which forgets this producer until it holds something again. */
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
        retryAt = EpochClock.nanos() + failuresInRow * 1_000_000L;
    }

    /** When a producer that is waiting after a failure or between messages may go on; 0 when it is not waiting. */
    long retryAt() {
        return thinking != null && pausedBefore == nextToken ? Math.max(retryAt, pauseUntil) : retryAt;
    }

    long tokens() {
        return nextToken;
    }

    /**
     * Makes room: one message that the broker leaves unconfirmed, or unanswered, must not stop the ring when it comes round to its
     * slot. Off the hot path, and bounded by the window.
     */
    private void setAside(long[] ring, ConcurrentHashMap<Long, long[]> aside, long token, int slot) {
        // Claimed before it is put down, so a token is never in both places, where it could be confirmed twice.
        if (SLOT.compareAndSet(ring, slot, token, token | MOVING)) {
            aside.put(token, new long[] {intendedAt[slot], sentAt[slot], variantAt.length > 0 ? variantAt[slot] : 0});
            SLOT.setRelease(ring, slot, FREE);
        }
    }

    /** Takes back what was set aside of a token; null when it is not pending. A confirming or answering thread. */
    private long @Nullable [] takeAside(long[] ring, ConcurrentHashMap<Long, long[]> aside, long token) {
        while ((long) SLOT.getAcquire(ring, (int) token & mask) == (token | MOVING)) {
            // The sending thread is between two lines of setAside.
            Thread.yield();
        }
        return aside.isEmpty() ? null : aside.remove(token);
    }

    // ---- confirming threads, one at a time ----

    @Override
    public void confirmed(long token) {
        if (confirm(token, EpochClock.nanos())) {
            wake();
        } else {
            strayConfirmations.increment();
        }
    }

    @Override
    public void confirmedUpTo(long token) {
        long now = EpochClock.nanos();
        if (!stragglers.isEmpty()) {
            for (Long aside : stragglers.keySet()) {
                if (aside <= token) {
                    confirm(aside, now);
                }
            }
        }
        for (long t = Math.max(lowestPending, token - mask); t <= token; t++) {
            confirm(t, now);
        }
        lowestPending = Math.max(lowestPending, token + 1);
        wake();
    }

    /** Confirms a pending token; false when it is not pending. */
    private boolean confirm(long token, long now) {
        int slot = (int) token & mask;
        long intended = intendedAt[slot];
        long sentNanos = sentAt[slot];
        int variant = variantAt.length > 0 ? variantAt[slot] : 0;
        if (!SLOT.compareAndSet(slots, slot, token, FREE)) {
            long[] aside = takeAside(slots, stragglers, token);
            if (aside == null) {
                return false;
            }
            intended = aside[0];
            sentNanos = aside[1];
            variant = (int) aside[2];
        }
        lastAck = now - sentNanos;
        acks.record(now - sentNanos, phases.of(intended, now));
        confirmed.add(token);
        for (int i = 0; i < selected.length; i++) {
            if (selected[i][variant]) {
                confirmedSelected[i].add(token);
                selectedCount[i].increment();
            }
        }
        completed.increment();
        if (request == null) {
            COMPLETED.getAndAdd(this, 1L);
        }
        return true;
    }

    /** A message will not be confirmed; neither will it be answered. */
    private void settle(long token) {
        if (request == null || SLOT.compareAndSet(requests, (int) token & mask, token, FREE)
                || takeAside(requests, oldRequests, token) != null) {
            COMPLETED.getAndAdd(this, 1L);
        }
    }

    /**
     * A reply to a request has come; any thread, but one at a time for one producer.
     *
     * @param now when it came
     * @return whether that request was still waiting for it: not when its time was over
     */
    boolean answered(long token, long now) {
        if (token < 0 || request == null) {
            return false;
        }
        int slot = (int) token & mask;
        long sentNanos = sentAt[slot];
        if (!SLOT.compareAndSet(requests, slot, token, FREE)) {
            long[] aside = takeAside(requests, oldRequests, token);
            if (aside == null) {
                return false;
            }
            sentNanos = aside[1];
        }
        boolean inTime = now - sentNanos <= request.timeout().toNanos();
        if (!inTime) {
            answeredLate.increment();
        }
        COMPLETED.getAndAdd(this, 1L);
        wake();
        return inTime;
    }

    @Override
    public void failed(long token, Throwable cause) {
        if (!SLOT.compareAndSet(slots, (int) token & mask, token, FREE) && takeAside(slots, stragglers, token) == null) {
            strayConfirmations.increment();
            return;
        }
        failed.increment();
        failedTokens.add(token);
        failures.add(cause);
        settle(token);
        wake();
    }

    @Override
    public void unknown(long token, Throwable cause) {
        if (!SLOT.compareAndSet(slots, (int) token & mask, token, FREE) && takeAside(slots, stragglers, token) == null) {
            strayConfirmations.increment();
            return;
        }
        givenUp.increment();
        settle(token);
        wake();
    }

    /**
     * The atomic add before this call orders the new count before this look at whether anybody waits for it; and a
     * sending thread publishes that it waits after its last token, so the token read here is that one.
     */
    private void wake() {
        Thread waiting = loop.waiting();
        if (waiting != null && nextToken - (long) COMPLETED.getOpaque(this) <= wakeBelow) {
            loop.wake(waiting);
        }
    }

    // ---- any thread ----

    boolean bare() {
        return bare;
    }

    /** Confirmed messages of a selection, or all for {@link Selections#ALL}. */
    long confirmedOf(int selection) {
        return selection < 0 ? completed.get() : selectedCount[selection].get();
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

    /** Sends whose fate may still be told; exact when the sending thread has ended. */
    long pending() {
        return unconfirmed() - givenUp.get();
    }

    /** Sends that the broker owes an answer to, which those of an open transaction are not yet; about, while sending goes on. */
    long awaited() {
        return pending() - inTransaction;
    }

    /** How many messages may be in flight. */
    int window() {
        return window;
    }

    /** Requests that got no reply in time so far; exact when the sending thread has ended. */
    long unanswered() {
        return expired.get() + answeredLate.get() + unreplied();
    }

    /** Requests that wait for a reply; 0 for a producer of plain messages. Exact when the sending thread has ended. */
    long unreplied() {
        return request == null ? 0 : sent.get() - (long) COMPLETED.getAcquire(this);
    }

    /** When the first message was sent, nanoseconds since the epoch; 0 when none was. Once the sending thread has ended. */
    long firstSend() {
        return firstSend;
    }

    /** When the last message was sent, nanoseconds since the epoch; 0 when none was. Once the sending thread has ended. */
    long lastSend() {
        return lastSend;
    }
}
