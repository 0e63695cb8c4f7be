package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * The headers and properties of a producer's messages, encoded once per variant; in a message they follow the body. The values that change
 * from message to message (id, timestamp, expiry and delivery time, envelope) have a fixed width and are overwritten in place. They are those
 * of a bytes message that a client of Jakarta Messaging sends.
 */
final class CoreMessageTemplate {

    /** The value of the first field of a message for an empty body: older versions counted the packet's header as well. */
    private static final int BODY_BASE = 13;
    private static final byte BYTES_MESSAGE = 4;
    private static final int DEFAULT_PRIORITY = 4;
    private static final byte BYTE = 3;
    private static final byte LONG = 7;
    private static final byte STRING = 10;
    private static final int NO_ENVELOPE = -1;

    private final Destination destination;
    private final String connection;
    private final ProducerSettings settings;
    private final UUID producer = UUID.randomUUID();
    private final @Nullable Headers[] variants;
    private long counter;

    /** @param connection id of the connection, which each message carries */
    CoreMessageTemplate(Destination destination, String connection, ProducerSettings settings) {
        this.destination = destination;
        this.connection = connection;
        this.settings = settings;
        this.variants = new Headers[settings.variants().size()];
    }

    /** Returns the number of bytes of a message with its body. */
    int size(Payload payload) {
        return Integer.BYTES + payload.length() + headersSize(payload);
    }

    /** Returns the number of bytes that {@link #writeHeaders} appends for a message. */
    int headersSize(Payload payload) {
        return headers(payload).bytes.length;
    }

    /** Appends what comes before the body of a message; {@link #writeHeaders} comes behind it. */
    static void beginBody(ByteBuffer out, Payload payload) {
        out.putInt(BODY_BASE + payload.length());
    }

    /** Appends a message without its body. */
    void writeHeaders(ByteBuffer out, Payload payload) {
        Headers headers = headers(payload);
        if (headers.varies) {
            headers.stamp(payload);
        }
        out.put(headers.bytes);
    }

    private Headers headers(Payload payload) {
        byte[] envelope = payload.envelope();
        int length = envelope == null ? NO_ENVELOPE : envelope.length;
        Headers known = variants[payload.variant()];
        if (known == null || known.envelopeLength != length) {
            known = new Headers(settings.variants().get(payload.variant()), length);
            variants[payload.variant()] = known;
        }
        return known;
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_16LE);
    }

    /** The encoded headers and properties of one variant. */
    private final class Headers {

        private final byte[] bytes;
        private final ByteBuffer places;
        private final int envelopeLength;
        private final byte[] digits;
        private final int counterAt;
        private final int expiresAt;
        private final int createdAt;
        private final int deliverAt;
        private final int envelopeAt;
        private final boolean varies;

        Headers(MessageVariant variant, int envelopeLength) {
            this.envelopeLength = envelopeLength;
            this.digits = new byte[2 * Math.max(0, envelopeLength)];
            byte[] address = name(destination.name());
            String group = variant.group();
            int texts = variant.headers().entrySet().stream().mapToInt(e -> 16 + 2 * (e.getKey().length() + e.getValue().length())).sum();
            ByteBuffer out = ByteBuffer.allocate(
                512 + address.length + texts + 2 * (connection.length() + digits.length + (group == null ? 0 : group.length())));

            out.putLong(0); // the broker gives the message its number
            out.put((byte) 1).putInt(address.length).put(address);
            if (settings.messageIds()) {
                out.put((byte) 1).putLong(producer.getMostSignificantBits());
                counterAt = out.position();
                out.putLong(producer.getLeastSignificantBits());
            } else {
                counterAt = -1;
                out.put((byte) 0);
            }
            out.put(BYTES_MESSAGE).put((byte) (settings.persistent() ? 1 : 0));
            expiresAt = settings.ttlMillis() > 0 ? out.position() : -1;
            out.putLong(0);
            createdAt = settings.timestamps() ? out.position() : -1;
            out.putLong(0);
            out.put((byte) (variant.priority() < 0 ? DEFAULT_PRIORITY : variant.priority()));

            out.put((byte) 1);
            int countAt = out.position();
            out.putInt(0);
            int count = 2;
            property(out, "__AMQ_CID", connection);
            key(out, "_AMQ_ROUTING_TYPE").put(BYTE).put((byte) (destination.isTopic() ? 0 : 1));
            if (group != null) {
                property(out, "_AMQ_GROUP_ID", group);
                count++;
            }
            if (settings.delayMillis() > 0) {
                key(out, "_AMQ_SCHED_DELIVERY").put(LONG);
                deliverAt = out.position();
                out.putLong(0);
                count++;
            } else {
                deliverAt = -1;
            }
            for (var header : variant.headers().entrySet()) {
                property(out, header.getKey(), header.getValue());
                count++;
            }
            if (envelopeLength >= 0) {
                property(out, Payload.PROPERTY, "0".repeat(digits.length));
                envelopeAt = out.position() - 2 * digits.length;
                count++;
            } else {
                envelopeAt = -1;
            }
            out.putInt(countAt, count);
            bytes = new byte[out.position()];
            places = ByteBuffer.wrap(bytes);
            out.get(0, bytes);
            varies = counterAt >= 0 || createdAt >= 0 || expiresAt >= 0 || deliverAt >= 0 || envelopeAt >= 0;
        }

        private static ByteBuffer key(ByteBuffer out, String key) {
            byte[] encoded = name(key);
            return out.putInt(encoded.length).put(encoded);
        }

        private static void property(ByteBuffer out, String key, String value) {
            byte[] encoded = name(value);
            key(out, key).put(STRING).putInt(encoded.length).put(encoded);
        }

        private void stamp(Payload payload) {
            if (counterAt >= 0) {
                put(counterAt, producer.getLeastSignificantBits() + ++counter);
            }
            byte[] envelope = payload.envelope();
            if (envelopeAt >= 0 && envelope != null) {
                PropertyText.encode(envelope, digits, 0);
                for (int i = 0; i < digits.length; i++) {
                    bytes[envelopeAt + 2 * i] = digits[i];
                }
            }
            if (createdAt >= 0 || expiresAt >= 0 || deliverAt >= 0) {
                long now = System.currentTimeMillis();
                put(createdAt, now);
                put(expiresAt, now + settings.ttlMillis());
                put(deliverAt, now + settings.delayMillis());
            }
        }

        private void put(int at, long value) {
            if (at >= 0) {
                places.putLong(at, value);
            }
        }
    }
}
