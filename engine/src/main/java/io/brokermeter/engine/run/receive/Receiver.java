package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.recording.lane.PhaseCounter;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.send.RandomDraw;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a run. The client's thread delivers a message; the receiver reads the clock first, then the envelope, and then updates the
 * counts. Nothing that arrives can make it throw: a message of another sender is counted and acknowledged like any other.
 */
public final class Receiver extends OwnMessages implements DeliveryListener {

    /** The longest time that a consumer with a rate makes up for, in nanoseconds. */
    private static final long CAUGHT_UP = 100_000_000L;

    public final ConsumerPlan plan;
    /**
     * Number of deliveries by the phase in which they came; the message of a late delivery was due in an earlier phase. The last number is
     * that of the deliveries before the start of a run that sends, which are of no phase.
     */
    public final PhaseCounter received;
    private final PhaseCounter receivedBytes;
    public final Counter requeued = counters.of(Count.REQUEUED);
    final Counter rejected = counters.of(Count.REJECTED);

    private final Clock clock;
    /** The lane for times of the simulated processing; null when there is none. */
    private final @Nullable Lane handlers;
    private final RandomDraw processing;
    /** Null for a consumer that accepts every message. */
    private final @Nullable SettlementDraw settling;
    private final @Nullable Replier replier;
    private final @Nullable Quota quota;
    private final long spacingNanos;
    private final EventLog events;
    private final @Nullable Activity activity;
    /** The number of the time before the start, as if it were a phase. */
    private final int before;
    // Plain fields, read when the consumer is closed: a fence for each message would cost more than everything else.
    private long firstDelivery;
    private long lastDelivery;
    private volatile boolean leaving;
    /** When the message came whose processing is under way, in nanoseconds since the epoch; 0 for none. */
    private volatile long busySince;
    /** Null when messages are counted. */
    private final @Nullable NumberSum summed;
    private long nextAllowed;
    /** When the message before was given back to the client, in nanoseconds since the epoch; kept for a consumer with a rate. */
    private long lastReturn;
    /** Takes a failure instead of ending the run; null when a failure ends the run. */
    private volatile @Nullable Consumer<Throwable> recovering;

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
        super(plan, group, with, of, room, resent);
        ConsumerGroupSpec spec = group.spec();
        this.plan = plan;
        this.activity = with.activity();
        this.clock = with.clock();
        this.handlers = spec.processing().isNone() ? null : with.recording().lane(Metric.HANDLER, group.index());
        this.before = with.timetable().phaseCount();
        this.received = counters.of(Count.RECEIVED, before + 1);
        this.receivedBytes = counters.of(Count.RECEIVED_BYTES, before + 1);
        this.processing = RandomDraw.of(spec.processing(), seed);
        this.settling = spec.settles() ? new SettlementDraw(spec.requeueShare(), spec.rejectShare(), seed + 1) : null;
        this.replier = replier;
        this.quota = with.runLedger().quota(group);
        this.summed = spec.summarizer() == null || spec.summarizer().summed().length == 0 ? null
            : new NumberSum(spec.summarizer().summed());
        this.spacingNanos = spec.spacingNanos();
        this.events = with.events();
    }

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
        Settlement settlement = settling == null ? Settlement.ACCEPT : settling.next();
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
        if (summed != null) {
            summed.add(body);
        }
        boolean ours = settlement == Settlement.REQUEUE && Envelope.isIn(envelope);
        if (settlement == Settlement.REQUEUE) {
            // The message will come again, so the ledger waits for that delivery.
            requeued.increment();
        } else if (Envelope.isIn(envelope)) {
            ours = count(envelope, body, redelivered, now);
            if (ours && activity != null) {
                activity.delivered(now, now - Envelope.intended(envelope));
            }
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
        return summed == null ? received.get() : summed.get();
    }

    /** Simulates the processing of a message, and records the time from its delivery to the end of the processing. */
    private void handle(Lane times, long intended, long now) {
        if (sleepUntil(clock.nanos() + processing.next())) {
            times.record(clock.nanos() - now, phases.of(intended, now));
        }
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
