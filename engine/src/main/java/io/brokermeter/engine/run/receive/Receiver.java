package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.HighestSeen;
import io.brokermeter.engine.envelope.SubscriptionLedger;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.recording.lane.PhaseCounter;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.send.RandomDraw;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a run. The client's thread delivers a message; the receiver reads the clock first, then the envelope, and then updates the
 * counts. Nothing that arrives can make it throw: a message of another sender is counted and acknowledged like any other.
 */
public final class Receiver implements DeliveryListener {

    public final ConsumerPlan plan;
    public final Counters counters = new Counters();
    /**
     * Number of deliveries by the phase in which they came; the message of a late delivery was due in an earlier phase. The last number is
     * that of the deliveries before the start of a run that sends, which are of no phase.
     */
    public final PhaseCounter received;
    private final PhaseCounter receivedBytes;
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
    public final Counter requeued = counters.of(Count.REQUEUED);
    final Counter rejected = counters.of(Count.REJECTED);

    private final Clock clock;
    private final SubscriptionLedger subscription;
    private final Lane transfers;
    private final Lane responses;
    private final Bodies.Checker checker = new Bodies.Checker();
    private final @Nullable Lane lateDeliveries;
    /** The lane for times of the simulated processing; null when there is none. */
    private final @Nullable Lane handlers;
    private final RandomDraw processing;
    private final double requeueShare;
    private final double settleShare;
    private final RandomDraw random;
    private final @Nullable Replier replier;
    private final @Nullable Quota quota;
    private final long spacingNanos;
    private final EventLog events;
    /** Whether the messages of each producer of the run are requests; empty when no producer sends requests. */
    private final boolean[] requesting;
    /** The delivery delay of each producer of the run, in nanoseconds; empty when no producer asks for a delayed delivery. */
    private final long[] delays;
    private volatile PhaseTimes phases;
    /** The number of the time before the start, as if it were a phase. */
    private final int before;
    // Plain fields, read when the consumer is closed: a fence for each message would cost more than everything else.
    private long firstDelivery;
    private long lastDelivery;
    private volatile boolean leaving;
    /** When the message came whose processing is under way, in nanoseconds since the epoch; 0 for none. */
    private volatile long busySince;
    /** The text that precedes the number to be summed in each message; empty when messages are counted. */
    private final byte[] summed;
    /** Sum of the numbers that follow that text. */
    private final Counter sum = new Counter();
    /** The longest time that a consumer with a rate makes up for, in nanoseconds. */
    private static final long CAUGHT_UP = 100_000_000L;
    private static final long MOST_SUMMED = Long.MAX_VALUE / 10 - 9;
    private long nextAllowed;
    /** When the message before was given back to the client, in nanoseconds since the epoch; kept for a consumer with a rate. */
    private long lastReturn;
    private long lastRun;
    private int lastNumber;
    private boolean lastClockDiffers;
    private int lastIndex = -1;
    private final HighestSeen highest;
    private final Resent resent;
    private final @Nullable Activity activity;
    /** Takes a failure instead of ending the run; null when a failure ends the run. */
    private volatile @Nullable Consumer<Throwable> recovering;

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
     * Creates a consumer that is not connected yet.
     *
     * @param group the group that it belongs to
     * @param of the settings of producers
     * @param replier answers the messages, or null
     * @param room memory left to the run's consumers for following the order of messages, in bytes
     * @param resent asked about duplicates
     */
    public Receiver(ConsumerPlan plan, ConsumerGroup group, Participants.Shared with, Producers of, long seed, @Nullable Replier replier,
            AtomicLong room, Resent resent) {
        ConsumerGroupSpec spec = group.spec();
        this.plan = plan;
        this.resent = resent;
        this.activity = with.activity();
        this.clock = with.clock();
        this.subscription = with.runLedger().subscription(plan);
        this.lateDeliveries = of.delays.length == 0 ? null : with.recording().lane(Metric.LATE_DELIVERY, group.index());
        this.handlers = spec.processing().isNone() ? null : with.recording().lane(Metric.HANDLER, group.index());
        this.transfers = with.recording().lane(Metric.TRANSFER, group.index());
        this.responses = with.recording().lane(Metric.RESPONSE, group.index());
        this.delays = of.delays;
        this.requesting = of.requesting;
        this.phases = with.timetable().phaseTimes();
        this.before = with.timetable().phaseCount();
        this.received = counters.of(Count.RECEIVED, before + 1);
        this.receivedBytes = counters.of(Count.RECEIVED_BYTES, before + 1);
        this.processing = RandomDraw.of(spec.processing(), seed);
        this.requeueShare = spec.requeueShare();
        this.settleShare = spec.requeueShare() + spec.rejectShare();
        this.random = new RandomDraw(seed + 1);
        this.replier = replier;
        this.quota = with.runLedger().quota(group);
        this.summed = spec.summarizer() == null ? new byte[0] : spec.summarizer().summed();
        this.spacingNanos = spec.spacingNanos();
        this.events = with.events();
        this.highest = new HighestSeen(room);
    }

    /**
     * The settings of producers that concern receivers, by number of the producer.
     *
     * @param delays delivery delays in nanoseconds; empty when no producer asks for a delayed delivery
     * @param requesting whether messages are requests; empty when no producer sends requests
     */
    public record Producers(long[] delays, boolean[] requesting) {}

    /** Sets the phases of the run. Called before the first delivery that counts; other deliveries may come before it. */
    public void begin(PhaseTimes times) {
        phases = times;
    }

    /** Returns when the first delivery came, in nanoseconds since the epoch; 0 when there was none. Exact when the consumer is closed. */
    public long firstDelivery() {
        return firstDelivery;
    }

    /** Returns when the last delivery came, in nanoseconds since the epoch; 0 when there was none. Exact when the consumer is closed. */
    public long lastDelivery() {
        return lastDelivery;
    }

    /** Returns the number of messages whose order was not followed for lack of memory. Exact when the consumer is closed. */
    public long orderUnknown() {
        return highest.notFollowed();
    }

    @Override
    public Settlement delivered(ByteBuffer body, boolean redelivered) {
        return delivered(body, body, redelivered);
    }

    @Override
    public Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        if (leaving) {
            return Settlement.LEAVE;
        }
        long now = clock.nanos();
        Settlement settlement = settleShare > 0 ? settlement() : Settlement.ACCEPT;
        if (quota != null && !(settlement == Settlement.REQUEUE ? !quota.isUsedUp() : quota.take())) {
            return Settlement.LEAVE;
        }
        if (handlers != null) {
            // Before the message counts: the drain may be over at once.
            busySince = now;
        }
        if (firstDelivery == 0) {
            firstDelivery = now;
            nextAllowed = now;
            lastReturn = now;
        }
        lastDelivery = now;
        int phase = phases.ofDelivery(now);
        int bytes = body.remaining();
        received.increment(phase);
        receivedBytes.add(phase, bytes);
        if (settlement == Settlement.REJECT) {
            rejected.increment();
        }
        if (summed.length > 0) {
            sum.add(numberIn(body, summed));
        }
        boolean ours = settlement == Settlement.REQUEUE && Envelope.isIn(envelope);
        if (settlement == Settlement.REQUEUE) {
            // The message will come again, so the ledger waits for that delivery.
            requeued.increment();
        } else if (Envelope.isIn(envelope)) {
            ours = count(envelope, body, redelivered, now);
            if (ours && phase == before) {
                // Another process sends already, and this one does not know the start yet.
                received.increment(0);
                received.add(phase, -1);
                receivedBytes.add(0, bytes);
                receivedBytes.add(phase, -bytes);
            }
        } else {
            countForeign(envelope);
        }
        if (handlers != null) {
            handle(handlers, ours ? Envelope.intended(envelope) : now, now);
            busySince = 0;
        }
        if (replier != null && settlement == Settlement.ACCEPT) {
            replier.reply(envelope, body, envelope != body);
        }
        if (spacingNanos > 0) {
            // The allowed moments are evenly spaced, so a late wake-up is caught up, but only for the last tenth of a second; a longer time
            // without a delivery is a silence of the senders, which gives no credit.
            boolean waited = now - lastReturn > CAUGHT_UP;
            nextAllowed = waited ? now + spacingNanos : Math.max(nextAllowed + spacingNanos, now - CAUGHT_UP);
            sleepUntil(nextAllowed);
            lastReturn = clock.nanos();
        }
        return settlement;
    }

    /** Returns what a summarizer counts here: the deliveries so far, or the sum of a number in the messages. */
    public long counted() {
        return summed.length > 0 ? sum.get() : received.get();
    }

    /** Simulates the processing of a message, and records the time from its delivery to the end of the processing. */
    private void handle(Lane times, long intended, long now) {
        if (sleepUntil(clock.nanos() + processing.next())) {
            times.record(clock.nanos() - now, phases.of(intended, now));
        }
    }

    /** Returns the whole number that follows the first occurrence of a text in a body; 0 when there is none. */
    public static long numberIn(ByteBuffer body, byte[] text) {
        int last = body.limit() - text.length;
        for (int at = body.position(); at < last; at++) {
            int matched = 0;
            while (matched < text.length && body.get(at + matched) == text[matched]) {
                matched++;
            }
            if (matched == text.length) {
                long number = 0;
                for (int i = at + matched; i < body.limit() && body.get(i) >= '0' && body.get(i) <= '9' && number < MOST_SUMMED; i++) {
                    number = number * 10 + body.get(i) - '0';
                }
                return number;
            }
        }
        return 0;
    }

    private Settlement settlement() {
        double drawn = random.fraction();
        if (drawn < requeueShare) {
            return Settlement.REQUEUE;
        }
        return drawn < settleShare ? Settlement.REJECT : Settlement.ACCEPT;
    }

    private void countForeign(ByteBuffer envelope) {
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
    private boolean count(ByteBuffer envelope, ByteBuffer body, boolean redelivered, long now) {
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
        if (activity != null) {
            activity.delivered(now, now - intended);
        }
        long delay = Envelope.delayUnits(envelope);
        if (delay == Envelope.DELAY_OVERFLOW) {
            unknownSendTime.increment();
            return true;
        }
        long transfer = now - intended - delay * Envelope.DELAY_UNIT;
        transfers.record(transfer, phase);
        if (lateDeliveries != null && lastNumber < delays.length && delays[lastNumber] > 0) {
            lateDeliveries.record(transfer - delays[lastNumber], phase);
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

    /**
     * Takes no more messages, because the run is being ended early, and ends the processing of the current message at once. Messages that
     * the client still holds are left: taking them without their processing time would exceed the limit of the load.
     */
    public void leave() {
        leaving = true;
    }

    /** Sleeps until a moment, in nanoseconds since the epoch. Returns whether it was reached before the run is being ended. */
    private boolean sleepUntil(long deadline) {
        long left;
        while ((left = deadline - clock.nanos()) > 0 && !leaving && !Thread.currentThread().isInterrupted()) {
            clock.park(Math.min(left, 100_000_000));
        }
        return left <= 0;
    }

    /** Returns whether a message that came until a moment, in nanoseconds since the epoch, is still being processed. */
    public boolean isBusyWithWhatCameUntil(long moment) {
        long since = busySince;
        return since != 0 && since <= moment;
    }

    /** Hands failures to {@code whom} from now on instead of ending the run. */
    public void recoverBy(Consumer<Throwable> whom) {
        recovering = whom;
    }

    @Override
    public void failed(Throwable cause) {
        Consumer<Throwable> whom = recovering;
        if (whom != null) {
            whom.accept(cause);
            return;
        }
        events.fatal(Finding.Step.CONSUMER, plan.destination().toString(), cause);
    }
}
