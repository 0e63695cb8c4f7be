package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.HighestSeen;
import io.brokermeter.engine.envelope.SubscriptionLedger;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link Receiver} that reads envelopes: which messages are the run's own, which came twice, changed or out of order, and how
 * long they took. It is a base class, so that a delivery needs no further object. Called by the client's thread.
 */
abstract class OwnMessages {

    public final Counters counters = new Counters();
    final Counter ours = counters.of(Count.LEDGER_RECEIVED);
    public final Counter duplicates = counters.of(Count.DUPLICATES);
    final Counter redeliveredDuplicates = counters.of(Count.REDELIVERED_DUPLICATES);
    /** Number of duplicates without the broker's mark of messages that the sender's client may have sent twice. */
    public final Counter resentDuplicates = new Counter();
    final Counter outOfOrder = counters.of(Count.OUT_OF_ORDER);
    final Counter reorderDepth = counters.of(Count.REORDER_DEPTH);
    final Counter corrupt = counters.of(Count.CORRUPT);
    final Counter foreign = counters.of(Count.FOREIGN);
    final Counter old = counters.of(Count.OLD);
    public final Counter otherClock = new Counter();
    public final Counter unknownSendTime = new Counter();

    private final SubscriptionLedger subscription;
    private final Lane transfers;
    private final Lane responses;
    private final Bodies.Checker checker = new Bodies.Checker();
    /** Null when no producer asks for a delayed delivery. */
    private final @Nullable LateDeliveries lateDeliveries;
    /** Whether the messages of each producer of the run are requests; empty when no producer sends requests. */
    private final boolean[] requesting;
    volatile PhaseTimes phases;
    private long lastRun;
    private int lastNumber;
    private boolean lastClockDiffers;
    private int lastIndex = -1;
    private final HighestSeen highest;
    private final Resent resent;

    /** Knows which messages a client may have sent again by itself. */
    public interface Resent {

        /**
         * Returns whether a client may have sent the message a second time.
         *
         * @param producer number of the producer
         */
        boolean maybe(int producer, long token);
    }

    /**
     * The settings of producers that concern receivers, by number of the producer.
     *
     * @param delays delivery delays in nanoseconds; empty when no producer asks for a delayed delivery
     * @param requesting whether messages are requests; empty when no producer sends requests
     */
    public record Producers(long[] delays, boolean[] requesting) {}

    /**
     * The times by which deliveries came later than their delay.
     *
     * @param delays delivery delay of each producer of the run, in nanoseconds
     */
    private record LateDeliveries(Lane lane, long[] delays) {

        void record(int producer, long transfer, int phase) {
            if (producer < delays.length && delays[producer] > 0) {
                lane.record(transfer - delays[producer], phase);
            }
        }
    }

    /** See {@link Receiver#Receiver}. */
    OwnMessages(ConsumerPlan plan, ConsumerGroup group, Participants.Shared with, Producers of, AtomicLong room, Resent resent) {
        this.subscription = with.runLedger().subscription(plan);
        this.lateDeliveries = of.delays.length == 0 ? null
            : new LateDeliveries(with.recording().lane(Metric.LATE_DELIVERY, group.index()), of.delays);
        this.transfers = with.recording().lane(Metric.TRANSFER, group.index());
        this.responses = with.recording().lane(Metric.RESPONSE, group.index());
        this.requesting = of.requesting;
        this.phases = with.timetable().phaseTimes();
        this.highest = new HighestSeen(room);
        this.resent = resent;
    }

    /** Returns the number of messages whose order was not followed for lack of memory. Exact when the consumer is closed. */
    public long orderUnknown() {
        return highest.notFollowed();
    }

    /** Counts a message without an envelope of the run's. */
    final void countForeign(ByteBuffer envelope) {
        if (Envelope.isOfAnotherVersion(envelope)) {
            old.increment();
        } else if (Envelope.isRemnant(envelope)) {
            // The body begins with an envelope but is too short for it.
            corrupt.increment();
        } else {
            foreign.increment();
        }
    }

    /** Counts a message with an envelope. Returns whether it is the run's own. */
    final boolean count(ByteBuffer envelope, ByteBuffer body, boolean redelivered, long now) {
        long run = Envelope.run(envelope);
        int producer = producerIndex(run, Envelope.producer(envelope));
        if (producer < 0) {
            old.increment();
            return false;
        }
        long sequence = Envelope.sequence(envelope);
        ours.increment();
        if (!checker.intact(envelope, body)) {
            corrupt.increment();
        }
        if (!subscription.add(producer, sequence)) {
            duplicates.increment();
            if (redelivered) {
                redeliveredDuplicates.increment();
            } else if (resent.maybe(lastNumber, sequence)) {
                resentDuplicates.increment();
            } else {
                subscription.repeated(producer, sequence);
            }
        } else {
            if (redelivered) {
                subscription.marked(producer, sequence);
            }
            long behind = highest.behind(producer, sequence);
            if (behind > 0) {
                outOfOrder.increment();
                reorderDepth.raiseTo(behind);
            }
        }
        if (lastClockDiffers) {
            otherClock.increment();
        }
        long intended = Envelope.intended(envelope);
        int phase = phases.of(intended, now);
        if (lastNumber >= requesting.length || !requesting[lastNumber]) {
            // The response time of a request is recorded when its reply comes.
            responses.record(now - intended, phase);
        }
        long delay = Envelope.delayUnits(envelope);
        if (delay == Envelope.DELAY_OVERFLOW) {
            unknownSendTime.increment();
            return true;
        }
        long transfer = now - intended - delay * Envelope.DELAY_UNIT;
        transfers.record(transfer, phase);
        if (lateDeliveries != null) {
            lateDeliveries.record(lastNumber, transfer, phase);
        }
        return true;
    }

    /**
     * Returns the index of a message's producer. Mostly it is the producer of the message before, whose index is kept: looking it up would
     * cost more than everything else in a run that only receives.
     */
    private int producerIndex(long run, int number) {
        if (run != lastRun || number != lastNumber || lastIndex < 0) {
            lastIndex = subscription.producerIndex(run, number);
            lastRun = run;
            lastNumber = number;
            lastClockDiffers = !Envelope.sameClock(run);
        }
        return lastIndex;
    }
}
