package io.brokermeter.engine.run;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;

/**
 * One consumer of a run. The client's thread delivers; this reads the clock first, then the envelope, then keeps the
 * books. Nothing that arrives can make it throw: a message of somebody else is counted and acknowledged like any other.
 */
final class Receiver implements DeliveryListener {

    final ConsumerPlan plan;
    final Counter received = new Counter();
    final Counter ours = new Counter();
    final Counter duplicates = new Counter();
    final Counter redeliveredDuplicates = new Counter();
    final Counter outOfOrder = new Counter();
    final Counter reorderDepth = new Counter();
    final Counter corrupt = new Counter();
    final Counter foreign = new Counter();
    final Counter old = new Counter();
    final Counter otherClock = new Counter();
    final Counter unknownSendTime = new Counter();
    final Counter measured = new Counter();

    private final Ledger.Subscription subscription;
    private final Lane transfers;
    private final Lane responses;
    private final Bodies.Checker checker = new Bodies.Checker();
    private final long processingNanos;
    private final long spacingNanos;
    private final RunEvents events;
    private final Failures failures;
    private volatile long warmupEnd;
    private long nextAllowed;
    private int lastRun;
    private int lastNumber;
    private int lastIndex = -1;
    /** Highest sequence seen so far of each producer. */
    private long[] highest = new long[8];

    Receiver(ConsumerPlan plan, ConsumerSide side, Ledger.Subscription subscription, Lane transfers, Lane responses,
            RunEvents events, Failures failures) {
        this.plan = plan;
        this.subscription = subscription;
        this.transfers = transfers;
        this.responses = responses;
        this.processingNanos = side.latency().toNanos();
        Rate rate = side.rate();
        this.spacingNanos = rate == null ? 0 : (long) (1e9 / rate.perSecond());
        this.events = events;
        this.failures = failures;
        Arrays.fill(highest, -1);
    }

    /** Before the first delivery: the moment at which the warm-up ends; deliveries may come before the run's start. */
    void begin(long warmupEndNanos) {
        warmupEnd = warmupEndNanos;
    }

    @Override
    public Settlement delivered(ByteBuffer body, boolean redelivered) {
        long now = EpochClock.nanos();
        received.increment();
        if (Envelope.isIn(body)) {
            book(body, redelivered, now);
        } else {
            foreign.increment();
        }
        if (processingNanos > 0) {
            sleepUntil(EpochClock.nanos() + processingNanos);
        }
        if (spacingNanos > 0) {
            // Allowed moments follow each other, so that a short stall is caught up within a tenth of a second and no more.
            nextAllowed = Math.max(nextAllowed + spacingNanos, now - 100_000_000L);
            sleepUntil(nextAllowed);
        }
        return Settlement.ACCEPT;
    }

    private void book(ByteBuffer body, boolean redelivered, long now) {
        int run = Envelope.run(body);
        int producer = producerIndex(run, Envelope.producer(body));
        if (producer < 0) {
            old.increment();
            return;
        }
        long sequence = Envelope.sequence(body);
        if (sequence < 0 || sequence >= SequenceSet.LIMIT || producer > MOST_PRODUCERS) {
            corrupt.increment();
            return;
        }
        ours.increment();
        if (!checker.intact(body)) {
            corrupt.increment();
        }
        if (producer >= highest.length) {
            int known = highest.length;
            highest = Arrays.copyOf(highest, Math.max(producer + 1, known * 2));
            Arrays.fill(highest, known, highest.length, -1);
        }
        if (!subscription.add(producer, sequence)) {
            duplicates.increment();
            if (redelivered) {
                redeliveredDuplicates.increment();
            }
        } else if (sequence < highest[producer]) {
            outOfOrder.increment();
            reorderDepth.raiseTo(highest[producer] - sequence);
        } else {
            highest[producer] = sequence;
        }
        if (!Envelope.sameClock(run)) {
            otherClock.increment();
        }
        long intended = Envelope.intended(body);
        boolean warm = intended < warmupEnd;
        if (!warm) {
            measured.increment();
        }
        responses.record(now - intended, warm);
        long delay = Envelope.delayUnits(body);
        if (delay == Envelope.DELAY_OVERFLOW) {
            unknownSendTime.increment();
        } else {
            transfers.record(now - intended - delay * Envelope.DELAY_UNIT, warm);
        }
    }

    /** Mostly the sender of the message before: looking that up would cost more than the rest of a receive-only run. */
    private int producerIndex(int run, int number) {
        if (run != lastRun || number != lastNumber || lastIndex < 0) {
            lastIndex = subscription.producerIndex(run, number);
            lastRun = run;
            lastNumber = number;
        }
        return lastIndex;
    }

    private static final int MOST_PRODUCERS = 1 << 20;

    private static void sleepUntil(long deadline) {
        long left;
        while ((left = deadline - EpochClock.nanos()) > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void failed(Throwable cause) {
        failures.add(cause);
        events.fatal("A consumer of " + plan.destination() + " failed: " + Failures.sentence(cause), cause);
    }
}
