package io.brokermeter.driver.amqp091.direct;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Topology;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a producer's messages before their body: the method that publishes and the header with the properties, encoded once. The
 * values that change from message to message (length, id, time, token, envelope) have a fixed width and are overwritten in place.
 */
final class Amqp091MessageTemplate {

    /** Number of hexadecimal digits of a token or a counter. */
    private static final int DIGITS = 16;
    private static final int MANDATORY = 1;
    /** The most bytes of an encoded character; {@link #FIELD} is the overhead of a header in bytes, besides its name and value. */
    private static final int MOST_BYTES = 3;
    private static final int FIELD = 1 + 1 + Integer.BYTES;
    private static final byte END = (byte) 0xce;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    static final int HEADERS = 1 << 13;
    private static final int DELIVERY_MODE = 1 << 12;
    private static final int PRIORITY = 1 << 11;
    private static final int CORRELATION_ID = 1 << 10;
    private static final int EXPIRATION = 1 << 8;
    private static final int MESSAGE_ID = 1 << 7;
    private static final int TIMESTAMP = 1 << 6;

    private final byte[] frames;
    private final ByteBuffer places;
    private final int channel;
    private final int bodyRoom;
    private final int sizeAt;
    private final int envelopeSize;
    private int envelopeAt = -1;
    private int tokenAt = -1;
    private int counterAt = -1;
    private int timestampAt = -1;
    private int lastSize = -1;
    private long counter;

    /**
     * @param frameMax size of the largest frame that the broker accepts, in bytes
     * @param variant attributes of the messages
     * @param envelope size in bytes of the envelope, which is sent as a header; 0 for none
     */
    Amqp091MessageTemplate(
            int channel, int frameMax, Topology.Route route, ProducerSettings settings, MessageVariant variant, int envelope,
            Options options) {
        this.channel = channel;
        this.envelopeSize = envelope;
        this.bodyRoom = frameMax - Amqp091Frames.OVERHEAD;
        ByteBuffer out = ByteBuffer.allocate(room(variant, envelope));
        out.put((byte) 1).putShort((short) channel).putInt(0).putInt(Method.BASIC_PUBLISH);
        out.putShort((short) 0);
        Fields.shortText(out, route.exchange());
        Fields.shortText(out, route.routingKey());
        out.put((byte) (options.mandatory ? MANDATORY : 0));
        out.putInt(3, out.position() - 7);
        out.put(END);

        int header = out.position();
        out.put((byte) 2).putShort((short) channel).putInt(0);
        out.putShort((short) 60).putShort((short) 0);
        sizeAt = out.position();
        out.putLong(0);
        properties(out, settings, variant, envelope, options);
        int length = out.position() - header + 1;
        if (length > frameMax) {
            throw new IllegalArgumentException(
                "The headers of a message make a frame of " + length + " bytes, and the broker takes frames of "
                    + frameMax + " bytes at most; send fewer or shorter headers.");
        }
        out.putInt(header + 3, out.position() - header - 7);
        out.put(END);
        frames = new byte[out.position()];
        places = ByteBuffer.wrap(frames);
        out.get(0, frames);
    }

    private static int room(MessageVariant variant, int envelope) {
        long room = 64 * 1024 + envelope;
        for (Map.Entry<String, String> header : variant.headers().entrySet()) {
            room += MOST_BYTES * ((long) header.getKey().length() + header.getValue().length()) + FIELD;
        }
        return (int) Math.min(room, Integer.MAX_VALUE - 8);
    }

    private void properties(
            ByteBuffer out, ProducerSettings settings, MessageVariant variant, int envelope, Options options) {
        int flags = DELIVERY_MODE;
        int flagsAt = out.position();
        out.putShort((short) 0);
        if (!variant.headers().isEmpty() || envelope > 0) {
            flags |= HEADERS;
            Map<String, Object> headers = new LinkedHashMap<>(variant.headers());
            if (envelope > 0) {
                // the last one, so that it ends at the end of the table
                headers.remove(Payload.PROPERTY);
                headers.put(Payload.PROPERTY, new byte[envelope]);
            }
            Fields.table(out, headers);
            envelopeAt = envelope > 0 ? out.position() - envelope : -1;
        }
        out.put((byte) (settings.persistent() ? 2 : 1));
        int priority = variant.priority() >= 0 ? variant.priority() : options.priority;
        if (priority >= 0) {
            flags |= PRIORITY;
            out.put((byte) priority);
        }
        if (options.mandatory) {
            // a returned message has no delivery tag, so it must carry its token
            flags |= CORRELATION_ID;
            tokenAt = out.position() + 1;
            Fields.shortText(out, "0".repeat(DIGITS));
        }
        if (settings.ttlMillis() > 0) {
            flags |= EXPIRATION;
            Fields.shortText(out, Long.toString(settings.ttlMillis()));
        }
        if (settings.messageIds()) {
            flags |= MESSAGE_ID;
            String id = UUID.randomUUID() + ":" + "0".repeat(DIGITS);
            Fields.shortText(out, id);
            counterAt = out.position() - DIGITS;
        }
        if (settings.timestamps()) {
            flags |= TIMESTAMP;
            timestampAt = out.position();
            out.putLong(0);
        }
        out.putShort(flagsAt, (short) flags);
    }

    /** Returns whether the template has room for exactly this envelope; true without an envelope. */
    boolean fits(byte @Nullable [] envelope) {
        return envelope == null || envelope.length == envelopeSize;
    }

    /** Appends one whole message. */
    void write(WriteBuffer to, Payload payload, long token) {
        int size = payload.length();
        byte[] envelope = payload.envelope();
        if (size != lastSize) {
            lastSize = size;
            places.putLong(sizeAt, lastSize);
        }
        if (envelope != null) {
            System.arraycopy(envelope, 0, frames, envelopeAt, envelopeSize);
        }
        if (tokenAt >= 0) {
            digits(tokenAt, token);
        }
        if (counterAt >= 0) {
            digits(counterAt, ++counter);
        }
        if (timestampAt >= 0) {
            places.putLong(timestampAt, System.currentTimeMillis() / 1000);
        }
        int bodies = (size + bodyRoom - 1) / bodyRoom;
        ByteBuffer out = to.room(payload, frames.length + bodies * Amqp091Frames.OVERHEAD).put(frames);
        for (int at = 0; at < size; at += bodyRoom) {
            int length = Math.min(bodyRoom, size - at);
            out.put((byte) 3).putShort((short) channel).putInt(length);
            out = to.body(payload, at, length, Amqp091Frames.OVERHEAD).put(END);
        }
    }

    private void digits(int at, long value) {
        long left = value;
        for (int i = DIGITS - 1; i >= 0; i--) {
            frames[at + i] = HEX[(int) (left & 0xf)];
            left >>>= 4;
        }
    }

    /** Reads the token of a returned message, starting at the property flags; returns -1 if there is none. */
    static long token(ByteBuffer properties) {
        int flags = properties.getShort() & 0xffff;
        if ((flags & CORRELATION_ID) == 0) {
            return -1;
        }
        for (int skipped = 1 << 15; skipped >= 1 << 14; skipped >>= 1) {
            if ((flags & skipped) != 0) {
                Fields.shortText(properties);
            }
        }
        if ((flags & HEADERS) != 0) {
            properties.position(properties.position() + 4 + properties.getInt(properties.position()));
        }
        if ((flags & DELIVERY_MODE) != 0) {
            properties.get();
        }
        if ((flags & PRIORITY) != 0) {
            properties.get();
        }
        try {
            return Long.parseUnsignedLong(Fields.shortText(properties), 16);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
