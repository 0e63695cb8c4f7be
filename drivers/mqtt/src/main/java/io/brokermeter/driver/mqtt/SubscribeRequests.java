package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.spi.failure.DriverException;

/** The requests of a session that subscribe or unsubscribe, each of which waits for its answer. Guarded by the session's lock. */
final class SubscribeRequests {

    private static final int LAST_ID = 65_535;

    private final Session session;
    private final boolean five;
    /** The requests that wait for an answer, by packet id. */
    private final Map<Integer, AwaitedAnswer> requests = new HashMap<>();
    private int lastRequest = InFlight.IDS;

    SubscribeRequests(Session session) {
        this.session = session;
        this.five = session.options.five();
    }

    /** Records the answer to a request. Called by the reader, without the lock. */
    void answered(int type, ByteBuffer in) throws IOException {
        int id = in.getShort() & 0xffff;
        String reason = five ? Properties.read(in).reason() : "";
        // version 3.1.1 has no codes for UNSUBSCRIBE
        int code = in.hasRemaining() ? in.get() & 0xff : type == Packet.SUBACK ? Reason.FAILURE : 0;
        session.locked(() -> {
            AwaitedAnswer request = requests.get(id);
            if (request != null) {
                request.code = code;
                request.reason = reason;
                request.answered = true;
                session.changed.signalAll();
            }
        });
    }

    /** Subscribes, and returns when the broker has confirmed the subscription. */
    void subscribe(MqttConsumer.Filter filter, int qos, boolean retained) throws IOException, InterruptedException {
        // retain handling, section 3.8.3.1: 2 requests no previously retained messages
        int subscription = qos | (five && !retained ? 0x20 : 0);
        AwaitedAnswer answer = request(Packet.SUBSCRIBE, filter, subscription);
        try {
            session.await(() -> answer.answered, session.requestLimitNanos(),
                "The broker did not confirm the subscription to " + filter.text());
        } finally {
            forget(answer);
        }
        if (answer.code >= Reason.FAILURE) {
            throw new DriverException("The broker refused the subscription to " + filter.text() + " ("
                + Reason.text(answer.code, answer.reason) + ").", null);
        }
        if (answer.code != qos) {
            throw new DriverException("The broker granted QoS " + answer.code + " instead of " + qos + " on " + filter.text()
                + "; set consumer-qos to what it grants.", null);
        }
    }

    /** Ends a subscription. Returns when the broker has confirmed that, or after it did not answer in time. */
    void unsubscribe(MqttConsumer.Filter filter) {
        try {
            AwaitedAnswer answer = request(Packet.UNSUBSCRIBE, filter, -1);
            session.awaitClosing(() -> answer.answered);
            forget(answer);
        } catch (IOException e) {
            // a session that is over has no subscriptions
        }
    }

    /** Appends a request. */
    private AwaitedAnswer request(int type, MqttConsumer.Filter filter, int subscription) throws IOException {
        byte[] text = Packet.text(filter.text());
        return session.locked(() -> {
            session.check();
            lastRequest = lastRequest == LAST_ID ? InFlight.IDS + 1 : lastRequest + 1;
            AwaitedAnswer request = new AwaitedAnswer(lastRequest);
            requests.put(request.id, request);
            int length = 2 + (five ? 1 : 0) + text.length + (subscription < 0 ? 0 : 1);
            ByteBuffer to = session.out.room(Packet.LONGEST_HEADER + length);
            to.put((byte) (type | Packet.RESERVED_FLAGS));
            Packet.putLength(to, length);
            to.putShort((short) request.id);
            if (five) {
                to.put((byte) 0);
            }
            to.put(text);
            if (subscription >= 0) {
                to.put((byte) subscription);
            }
            session.out.appended();
            return request;
        });
    }

    private void forget(AwaitedAnswer request) {
        session.locked(() -> {
            requests.remove(request.id);
        });
    }
}
