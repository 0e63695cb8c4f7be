package io.brokermeter.driver.amqp.lean;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;

/**
 * Everything of a producer's messages but the body, encoded once. What changes from message to message (id, creation and
 * expiry time) has a fixed width and is written over in place. The sections are those that a JMS client makes of a
 * bytes message, so that JMS clients of any protocol read them as one.
 */
final class MessageTemplate {

    private static final byte BYTES_MESSAGE = 3;
    private static final int COUNTER_DIGITS = 16;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final byte[] sections;
    private final int counterAt;
    private final int createdAt;
    private final int expiresAt;
    private final long ttlMillis;
    private final boolean varies;
    private long counter;

    /** @param address the destination's name on the wire */
    MessageTemplate(Destination destination, String address, ProducerSettings settings) {
        ttlMillis = settings.ttlMillis();
        Performatives encoder = new Performatives();
        int headers = settings.headers().entrySet().stream().mapToInt(e -> 16 + e.getKey().length() + e.getValue().length()).sum();
        ByteBuffer out = ByteBuffer.allocate(2048 + 4 * (address.length() + length(settings.group()) + headers));

        if (settings.persistent() || ttlMillis > 0) {
            Header header = new Header();
            header.setDurable(settings.persistent());
            if (ttlMillis > 0) {
                header.setTtl(UnsignedInteger.valueOf(Math.min(ttlMillis, 0xffffffffL)));
            }
            encoder.encode(header, out);
        }

        Map<Symbol, Object> annotations = new LinkedHashMap<>();
        annotations.put(Symbol.valueOf("x-opt-jms-dest"), (byte) (destination.isTopic() ? 1 : 0));
        annotations.put(Symbol.valueOf("x-opt-jms-msg-type"), BYTES_MESSAGE);
        encoder.encode(new MessageAnnotations(annotations), out);

        // Values that no other part of the message can hold mark the places to write over.
        UUID producer = UUID.randomUUID();
        String id = "ID:" + producer + ":" + "0".repeat(COUNTER_DIGITS);
        long created = producer.getMostSignificantBits() | 1;
        long expires = producer.getLeastSignificantBits() | 1;
        int start = out.position();
        Properties properties = new Properties();
        properties.setTo(address);
        properties.setContentType(Symbol.valueOf("application/octet-stream"));
        if (settings.messageIds()) {
            properties.setMessageId(id);
        }
        if (settings.timestamps()) {
            properties.setCreationTime(new Date(created));
        }
        if (ttlMillis > 0) {
            properties.setAbsoluteExpiryTime(new Date(expires));
        }
        properties.setGroupId(settings.group());
        encoder.encode(properties, out);
        if (!settings.headers().isEmpty()) {
            encoder.encode(new ApplicationProperties(new LinkedHashMap<>(settings.headers())), out);
        }

        sections = new byte[out.position()];
        out.get(0, sections);
        counterAt = settings.messageIds()
            ? find(id.getBytes(StandardCharsets.US_ASCII), start) + id.length() - COUNTER_DIGITS : -1;
        createdAt = settings.timestamps() ? find(bytes(created), start) : -1;
        expiresAt = ttlMillis > 0 ? find(bytes(expires), start) : -1;
        varies = counterAt >= 0 || createdAt >= 0 || expiresAt >= 0;
    }

    private static int length(@org.jspecify.annotations.Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private int find(byte[] mark, int from) {
        for (int at = from; at <= sections.length - mark.length; at++) {
            if (java.util.Arrays.equals(sections, at, at + mark.length, mark, 0, mark.length)) {
                return at;
            }
        }
        throw new IllegalStateException("an encoded property is not where it was encoded");
    }

    /** Bytes that {@link #write} adds for a body of {@code length} bytes. */
    int size(int length) {
        return sections.length + 3 + (length < 256 ? 2 : 5) + length;
    }

    /** Appends one whole message with its body. */
    void write(ByteBuffer out, byte[] body) {
        if (varies) {
            stamp();
        }
        out.put(sections);
        out.put((byte) 0).put((byte) 0x53).put((byte) 0x75);
        if (body.length < 256) {
            out.put((byte) 0xa0).put((byte) body.length);
        } else {
            out.put((byte) 0xb0).putInt(body.length);
        }
        out.put(body);
    }

    private void stamp() {
        if (counterAt >= 0) {
            long value = ++counter;
            for (int i = COUNTER_DIGITS - 1; i >= 0; i--) {
                sections[counterAt + i] = HEX[(int) (value & 0xf)];
                value >>>= 4;
            }
        }
        long now = createdAt >= 0 || expiresAt >= 0 ? System.currentTimeMillis() : 0;
        put(createdAt, now);
        put(expiresAt, now + ttlMillis);
    }

    private void put(int at, long value) {
        if (at >= 0) {
            for (int i = 0; i < Long.BYTES; i++) {
                sections[at + i] = (byte) (value >>> (56 - 8 * i));
            }
        }
    }
}
