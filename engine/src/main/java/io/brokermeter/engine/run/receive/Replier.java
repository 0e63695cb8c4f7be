package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests that one consumer receives: sends each back unchanged, to the reply destination of its requester. Called by the
 * thread that delivers to that consumer.
 */
public final class Replier {

    public final Counters counters = new Counters();
    /** Number of replies that were handed to the client. */
    final Counter sent = counters.of(Count.SENT);
    private final Counter sentBytes = counters.of(Count.SENT_BYTES);
    /** Number of requests that this consumer cannot answer, as those of another run. */
    final Counter unknown = new Counter();

    private final long run;
    private final EventLog events;
    private final byte[] property = new byte[Envelope.SIZE];
    private final Payload payload = new Payload(new byte[0]);
    /** The ways to the requesters, by number of the producer; null for producers that this consumer does not answer. */
    private @Nullable Answers[] producers = new Answers[0];
    private byte[] body = new byte[1024];

    public Replier(long run, EventLog events) {
        this.run = run;
        this.events = events;
    }

    /** Adds the way to a requester. Called before the run begins. */
    public Answers to(int requester) {
        if (requester >= producers.length) {
            producers = java.util.Arrays.copyOf(producers, requester + 1);
        }
        Answers answers = new Answers();
        producers[requester] = answers;
        return answers;
    }

    /** Sends a reply. A failure is counted and makes the run fail, since the request would wait for its reply in vain. */
    void reply(ByteBuffer envelope, ByteBuffer request, boolean beside) {
        if (!Envelope.isIn(envelope) || Envelope.run(envelope) != run) {
            unknown.increment();
            return;
        }
        int requester = Envelope.producer(envelope);
        Answers answers = requester >= 0 && requester < producers.length ? producers[requester] : null;
        Producer producer = answers == null ? null : answers.producer;
        if (answers == null || producer == null) {
            unknown.increment();
            return;
        }
        int length = request.remaining();
        if (length > body.length) {
            body = new byte[Math.max(length, body.length * 2)];
        }
        request.get(request.position(), body, 0, length);
        payload.body(body, length);
        if (beside) {
            envelope.get(envelope.position(), property);
        }
        payload.envelope(beside ? property : null);
        try {
            producer.send(payload, answers.token++);
            producer.flush();
            sent.increment();
            sentBytes.add(length);
        } catch (Exception e) {
            events.fatal(Finding.Step.SEND_REPLY, "", e);
        }
    }

    /** The way to one requester: a producer for its reply destination, and the listener of that producer. */
    public final class Answers implements SendListener {

        private @Nullable Producer producer;
        private long token;

        public void attach(Producer spiProducer) {
            producer = spiProducer;
        }

        @Override
        public void confirmed(long confirmed) {}

        @Override
        public void confirmedUpTo(long confirmed) {}

        @Override
        public void failed(long failed, Throwable cause) {
            events.fatal(Finding.Step.CONFIRM_REPLY, "", cause);
        }

        @Override
        public void unknown(long token, Throwable cause) {
            // The requester counts a reply that does not come.
        }
    }
}
