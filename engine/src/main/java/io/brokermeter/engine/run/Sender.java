package io.brokermeter.engine.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.scenario.ProducerSide;
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
    final Counter measuredSent = new Counter();
    final SequenceSet confirmed = SequenceSet.forOneWriter();

    private final SendLoop loop;
    private final Failures failures;
    private final Lane acks;
    private final @Nullable Lane delays;
    private final boolean bare;
    private final int commitInterval;
    private final int window;
    private final int wakeBelow;
    private final int mask;
    private final long[] slots;
    private final long[] intendedAt;
    private final long[] sentAt;
    private final Payload payload;
    /** Unconfirmed sends whose slot was needed again: token to {intended, sent}. */
    private final ConcurrentHashMap<Long, long[]> stragglers = new ConcurrentHashMap<>();

    private @Nullable Producer producer;
    private long warmupEnd;

    // Sending thread only.
    private long nextToken;
    private int inTransaction;
    private boolean dirty;
    private boolean blockedCounted;
    private int failuresInRow;
    private long retryAt;

    // Written by confirming threads, which exclude each other; read by the sending thread.
    @SuppressWarnings("unused")
    private long settled;
    private long lowestPending;

    Sender(ProducerPlan plan, ProducerSide side, int run, int producers, SendLoop loop, Failures failures, Lane acks,
            @Nullable Lane delays) {
        this.plan = plan;
        this.loop = loop;
        this.failures = failures;
        this.acks = acks;
        this.delays = delays;
        this.bare = side.bare();
        this.commitInterval = side.commitInterval();
        int unlimited = Math.max(1024, Integer.highestOneBit(UNLIMITED_WINDOW * 4 / Math.max(4, producers)));
        int asked = side.maxPending() == 0 ? unlimited : side.maxPending();
        // A commit confirms its whole transaction, so the window must hold one.
        this.window = Math.max(asked, commitInterval);
        // A blocked sending thread is woken when half the window is free: one wake-up for many messages.
        this.wakeBelow = window / 2;
        int capacity = window <= 1 ? 2 : Integer.highestOneBit(window - 1) * 2;
        this.mask = capacity - 1;
        this.slots = new long[capacity];
        java.util.Arrays.fill(slots, FREE);
        this.intendedAt = new long[capacity];
        this.sentAt = new long[capacity];
        this.payload = new Payload(Bodies.create(side.messageSize()));
        if (!bare) {
            Envelope.prepare(payload.bytes(), run, plan.index());
        }
    }

    void attach(Producer spiProducer) {
        this.producer = spiProducer;
    }

    void begin(long warmupEndNanos) {
        this.warmupEnd = warmupEndNanos;
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
        return nextToken - (long) COMPLETED.getAcquire(this) < window && (retryAt == 0 || EpochClock.nanos() >= retryAt);
    }

    /** Whether the sending thread should stop waiting for this producer: enough of its window is free. */
    boolean worthWaking() {
        return nextToken - (long) COMPLETED.getVolatile(this) <= wakeBelow && open();
    }

    /** Notes that the next message found the window full; once per message. */
    void countBlocked() {
        if (!blockedCounted && retryAt == 0) {
            blockedCounted = true;
            blocked.increment();
        }
    }

    /** Sends one message that was intended at {@code intended}; 0 means now. */
    void send(long intended) {
        long token = nextToken;
        int slot = (int) token & mask;
        long now = EpochClock.nanos();
        long due = intended == 0 ? now : intended;
        boolean warm = due < warmupEnd;
        long straggler = (long) SLOT.getAcquire(slots, slot);
        if (straggler != FREE) {
            setAside(straggler, slot);
        }
        intendedAt[slot] = due;
        sentAt[slot] = now;
        SLOT.setRelease(slots, slot, token);
        nextToken = token + 1;
        blockedCounted = false;
        if (!bare) {
            Envelope.stamp(payload.bytes(), token, due, now - due);
        }
        try {
            dirty = true;
            producer().send(payload, token);
            sent.increment();
            failuresInRow = 0;
            retryAt = 0;
        } catch (Exception e) {
            sent.increment();
            if (SLOT.compareAndSet(slots, slot, token, FREE)) {
                COMPLETED.getAndAdd(this, 1L);
            }
            failed.increment();
            failures.add(e);
            backOff();
            return;
        }
        if (delays != null) {
            delays.record(now - due, warm);
        }
        if (!warm) {
            measuredSent.increment();
        }
        if (commitInterval > 0 && ++inTransaction >= commitInterval) {
            commit();
        }
    }

    /** Ends an open transaction. */
    void commit() {
        if (inTransaction == 0) {
            return;
        }
        inTransaction = 0;
        try {
            producer().commit();
        } catch (Exception e) {
            // The driver has reported each token of the transaction as failed, with this cause.
            backOff();
        }
    }

    /** Lets coalesced writes go out. */
    void flush() {
        if (dirty) {
            dirty = false;
            try {
                producer().flush();
            } catch (Exception e) {
                failures.add(e);
                backOff();
            }
        }
    }

    /** After a failure wait a little, longer each time, so that a dead broker is not hammered. */
    private void backOff() {
        failuresInRow = Math.min(failuresInRow + 1, 100);
        retryAt = EpochClock.nanos() + failuresInRow * 1_000_000L;
    }

    /** When a producer that is waiting after a failure may try again; 0 when it is not waiting. */
    long retryAt() {
        return retryAt;
    }

    long tokens() {
        return nextToken;
    }

    /**
     * Makes room: one message that the broker leaves unconfirmed must not stop the ring when it comes round to its slot.
     * Off the hot path, and bounded by the window.
     */
    private void setAside(long token, int slot) {
        stragglers.put(token, new long[] {intendedAt[slot], sentAt[slot]});
        if (!SLOT.compareAndSet(slots, slot, token, FREE)) {
            // It was confirmed meanwhile.
            stragglers.remove(token);
        }
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
        if (!SLOT.compareAndSet(slots, slot, token, FREE)) {
            long[] aside = stragglers.isEmpty() ? null : stragglers.remove(token);
            if (aside == null) {
                return false;
            }
            intended = aside[0];
            sentNanos = aside[1];
        }
        acks.record(now - sentNanos, intended < warmupEnd);
        confirmed.add(token);
        completed.increment();
        COMPLETED.getAndAdd(this, 1L);
        return true;
    }

    @Override
    public void failed(long token, Throwable cause) {
        if (!SLOT.compareAndSet(slots, (int) token & mask, token, FREE) && stragglers.remove(token) == null) {
            strayConfirmations.increment();
            return;
        }
        failed.increment();
        failures.add(cause);
        COMPLETED.getAndAdd(this, 1L);
        wake();
    }

    /**
     * The atomic add before this call orders the new count before this look at whether anybody waits for it; and a
     * sending thread publishes that it waits after its last token, so the token read here is that one.
     */
    private void wake() {
        Thread waiting = loop.waiting();
        if (waiting != null && nextToken - (long) COMPLETED.getOpaque(this) <= wakeBelow) {
            LockSupport.unpark(waiting);
        }
    }

    // ---- any thread ----

    /** Sends whose fate is unknown; exact when the sending thread has ended. */
    long pending() {
        return sent.get() - completed.get() - failed.get();
    }
}
