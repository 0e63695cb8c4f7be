package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;

/** Receives the replies to one requester, which are its requests sent back. */
public final class ReplyReceiver implements DeliveryListener {

    public final ConsumerPlan plan;
    public final Counters counters = new Counters();
    public final Counter received = counters.of(Count.RECEIVED);
    private final Counter receivedBytes = counters.of(Count.RECEIVED_BYTES);
    /** Number of replies to requests that were already answered or had timed out, or that this requester did not send. */
    final Counter stray = new Counter();

    private final Clock clock;
    private final Sender requester;
    private final long run;
    private final Lane roundTrips;
    private final Lane responses;
    private final EventLog events;
    private volatile PhaseTimes phases = PhaseTimes.ONE;

    /** @param requesters the group of the requester */
    public ReplyReceiver(ConsumerPlan plan, Sender requester, ProducerGroup requesters, Participants.Shared with) {
        this.plan = plan;
        this.clock = with.clock();
        this.requester = requester;
        this.run = with.run();
        this.roundTrips = with.recording().lane(Metric.ROUND_TRIP, requesters.index());
        this.responses = with.recording().lane(Metric.RESPONSE, requesters.index());
        this.events = with.events();
    }

    public void begin(PhaseTimes times) {
        phases = times;
    }

    @Override
    public Settlement delivered(ByteBuffer body, boolean redelivered) {
        return delivered(body, body, redelivered);
    }

    @Override
    public Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        long now = clock.nanos();
        if (!Envelope.isIn(envelope) || Envelope.run(envelope) != run
            || Envelope.producer(envelope) != requester.plan.index()) {
            stray.increment();
            return Settlement.ACCEPT;
        }
        long intended = Envelope.intended(envelope);
        long delay = Envelope.delayUnits(envelope);
        if (!requester.reports.answered(Envelope.sequence(envelope), now)) {
            stray.increment();
            return Settlement.ACCEPT;
        }
        received.increment();
        receivedBytes.add(body.remaining());
        int phase = phases.of(intended, now);
        responses.record(now - intended, phase);
        if (delay != Envelope.DELAY_OVERFLOW) {
            roundTrips.record(now - intended - delay * Envelope.DELAY_UNIT, phase);
        }
        return Settlement.ACCEPT;
    }

    @Override
    public void failed(Throwable cause) {
        events.fatal(Finding.Step.CONSUMER, plan.destination().toString(), cause);
    }
}
