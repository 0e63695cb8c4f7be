package io.brokermeter.engine.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
        return nextToken - (long) COMPLETED.getAcquire(this) < window
                && (long) SLOT.getAcquire(slots, (int) nextToken & mask) == FREE
                && (retryAt == 0 || EpochClock.nanos() >= retryAt);
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
            settle(token, slot);
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

    // ---- confirming threads, one at a time ----

    @Override
    public void confirmed(long token) {
        int slot = (int) token & mask;
        if (token < 0 || (long) SLOT.getOpaque(slots, slot) != token) {
            strayConfirmations.increment();
            return;
        }
        long now = EpochClock.nanos();
        acks.record(now - sentAt[slot], intendedAt[slot] < warmupEnd);
        confirmed.add(token);
        completed.increment();
        settle(token, slot);
        wake();
    }

    @Override
    public void confirmedUpTo(long token) {
        long now = EpochClock.nanos();
        for (long t = Math.max(lowestPending, token - mask); t <= token; t++) {
            int slot = (int) t & mask;
            if ((long) SLOT.getOpaque(slots, slot) == t) {
                acks.record(now - sentAt[slot], intendedAt[slot] < warmupEnd);
                confirmed.add(t);
                completed.increment();
                settle(t, slot);
            }
        }
        lowestPending = Math.max(lowestPending, token + 1);
        wake();
    }

    @Override
    public void failed(long token, Throwable cause) {
        int slot = (int) token & mask;
        if (token < 0 || (long) SLOT.getOpaque(slots, slot) != token) {
            strayConfirmations.increment();
            return;
        }
        failed.increment();
        failures.add(cause);
        settle(token, slot);
        wake();
    }

    private void settle(long token, int slot) {
        SLOT.setRelease(slots, slot, FREE);
        COMPLETED.getAndAdd(this, 1L);
    }

    /**
     * The atomic add in {@link #settle} orders the new count before this look at whether anybody waits for it; and a
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
