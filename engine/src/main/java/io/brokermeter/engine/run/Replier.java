package io.brokermeter.engine.run;

import java.nio.ByteBuffer;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests that one consumer gets: sends each back as it came, to the destination of its requester. Called by
 * the thread that delivers to that consumer.
 */
final class Replier {

    /** Replies that were handed to the client. */
    final Counter sent = new Counter();
    /** Requests that no producer of this run sent. */
    final Counter unknown = new Counter();

    private final long run;
    private final EventLog events;
    private final byte[] property = new byte[Envelope.SIZE];
    private final Payload payload = new Payload(new byte[0]);
    /** By number of the requester; null where the number is none of one that this consumer answers. */
    private @Nullable Answers[] producers = new Answers[0];
    private byte[] body = new byte[1024];

    Replier(long run, EventLog events) {
        this.run = run;
        this.events = events;
    }

    /** Adds the way to a requester; before the run begins. */
    Answers to(int requester) {
        if (requester >= producers.length) {
            producers = java.util.Arrays.copyOf(producers, requester + 1);
        }
        Answers answers = new Answers();
        producers[requester] = answers;
        return answers;
    }

    /** Sends a reply; a failure is counted and makes the run fail, since its request will wait in vain. */
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
        } catch (Exception e) {
            events.fatal(Finding.Step.SEND_REPLY, "", e);
        }
    }

    /** The way to one requester. */
    final class Answers implements SendListener {

        private @Nullable Producer producer;
        private long token;

        void attach(Producer spiProducer) {
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
            // the requester counts a reply that does not come
        }
    }
}
