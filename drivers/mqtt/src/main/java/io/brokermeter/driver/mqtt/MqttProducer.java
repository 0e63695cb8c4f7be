package io.brokermeter.driver.mqtt;

import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;

/**
 * A producer that sends from the calling thread. Packets are appended to the session's buffer; they are written to the socket at
 * {@link #flush()}, when enough bytes are pending, or when the caller's limit of unconfirmed messages is reached. While as many messages
 * are in flight as the broker allows, {@link #send} blocks, and fails after {@value #SEND_LIMIT_SECONDS} s.
 *
 * <p>With QoS 0 a message counts as confirmed when it is written, which the sending thread reports.
 */
final class MqttProducer extends WireEndpoint implements Producer {

    private static final int SEND_LIMIT_SECONDS = 30;
    private static final int USUAL_ENVELOPE = 28;
    private static final int WRITE_AT = 64 * 1024;

    private final Session session;
    private final Destination destination;
    private final TokenWindow window;
    private final boolean confirmed;
    private final int maxPending;
    private final ProducerSettings settings;
    private final int alias;
    private final long largest;
    /** The template of the first message, for each variant; with a topic alias the first message defines the alias. */
    private final MqttMessageTemplate[] first;
    private final MqttMessageTemplate[] later;
    private MqttMessageTemplate[] templates;

    private volatile boolean closing;

    MqttProducer(Session session, Destination destination, ProducerSettings settings, SendListener listener) {
        this.session = session;
        this.destination = destination;
        this.window = new TokenWindow(listener, settings.maxPending());
        this.maxPending = settings.maxPending();
        MqttOptions options = session.options;
        this.confirmed = options.qos() > 0;
        this.settings = settings;
        this.alias = session.newAlias();
        this.first = new MqttMessageTemplate[settings.variants().size()];
        this.later = new MqttMessageTemplate[first.length];
        encode(settings.envelopeProperty() ? USUAL_ENVELOPE : 0);
        this.templates = first;
        this.largest = Math.min(Packet.LARGEST, session.grant.maximumPacketSize());
    }

    private void encode(int envelope) {
        for (int i = 0; i < first.length; i++) {
            var headers = settings.variants().get(i).headers();
            first[i] = MqttMessageTemplate.of(session.options, destination.name(), alias, settings.ttlMillis(), headers, envelope);
            later[i] = alias == 0 ? first[i]
                : MqttMessageTemplate.of(session.options, "", alias, settings.ttlMillis(), headers, envelope);
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        byte[] envelope = payload.envelope();
        if (envelope != null && !first[0].fits(envelope)) {
            encode(envelope.length);
        }
        boolean write;
        session.lock.lock();
        try {
            session.check();
            if (closing) {
                throw new DriverException("The producer on " + destination + " is closed.", null);
            }
            MqttMessageTemplate template = templates[payload.variant()];
            long length = template.length(payload.length());
            if (length + 1 + Packet.lengthSize((int) Math.min(length, Packet.LARGEST)) > largest) {
                throw new DriverException("The broker takes packets of at most " + largest + " bytes; a message of "
                    + payload.length() + " bytes is too large for that.", null);
            }
            int id = 0;
            if (confirmed) {
                if (session.inFlight().size() >= session.limit()) {
                    session.quota.awaitRoom(TimeUnit.SECONDS.toNanos(SEND_LIMIT_SECONDS), destination.toString());
                    session.check();
                }
                id = session.inFlight().add(this, window.sent());
            }
            window.add(token);
            WriteBuffer out = session.out;
            template.write(out, id, payload, (int) length);
            out.appended();
            templates = later;
            write = out.pending() >= WRITE_AT || (maxPending > 0 && window.count() >= maxPending);
        } finally {
            session.lock.unlock();
        }
        if (write && confirmed) {
            session.flushOrWait();
        } else if (write) {
            flush();
        }
    }

    @Override
    public void flush() {
        if (confirmed) {
            session.flush();
            return;
        }
        long end = window.sent();
        if (window.count() > 0 && session.flushAll()) {
            window.confirmBefore(end);
        }
    }

    // ---- called by the reader thread

    /** Confirms a message that the broker acknowledged. */
    void acknowledged(InFlight flying, long place) {
        window.confirm(flying.number(place));
        flying.done(place);
        session.touch(this);
    }

    /** Reports a message that the broker refused. */
    void refused(InFlight flying, long place, String reason) {
        long number = flying.number(place);
        window.refuse(number, number,
            new DriverException("The broker refused a message on " + destination + " (" + reason + ").", null));
        flying.done(place);
        session.touch(this);
    }

    /** Gives up a message that the broker has received and then does not know any more. */
    void forgotten(InFlight flying, long place, String reason) {
        window.giveUp(flying.number(place),
            new DriverException("The broker took a message on " + destination + ", and then did not know it (" + reason + ").", null));
        flying.done(place);
        session.touch(this);
    }

    @Override
    protected void endOfBatch() {
        window.report();
        if (closing) {
            session.signal();
        }
    }

    /** Reports all unconfirmed messages as unknown; nothing is reported afterwards. */
    @Override
    protected void ended(Throwable reason) {
        window.finish(reason, false);
    }

    @Override
    public String stallReason() {
        String reason = session.stallReason();
        return !reason.isEmpty() ? reason : confirmed && session.inFlight().size() >= session.limit()
            ? "receive maximum " + session.limit() + " reached" : "";
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        try {
            long end = window.sent();
            if (confirmed) {
                session.awaitClosing(() -> window.count() == 0);
            } else if (session.awaitWritten()) {
                window.confirmBefore(end);
            }
        } finally {
            ended(new DriverException(
                "The producer on " + destination + " was closed before the broker confirmed the message.", null));
            session.remove(this);
        }
    }
}
