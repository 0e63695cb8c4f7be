package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.PropertyText;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The encoded sections of a producer's messages except the body, encoded once per variant. The values that change from message to message
 * (id, creation, expiry and delivery time, envelope) have a fixed width and are overwritten in place. The sections are those that a JMS
 * client creates for a bytes message, so that JMS clients of any protocol read the messages as such. For their sake the envelope is a text,
 * since brokers drop binary properties when they convert messages to other protocols.
 */
final class AmqpMessageTemplate {

    private static final byte BYTES_MESSAGE = 3;
    private static final int COUNTER_DIGITS = 16;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int NO_ENVELOPE = -1;
    private static final int LONGEST_BODY_HEADER = 8;

    private final Destination destination;
    private final String address;
    private final ProducerSettings settings;
    private final UUID producer = UUID.randomUUID();
    private final @Nullable Sections[] variants;
    private long counter;

    /** @param address address of the destination on the wire */
    AmqpMessageTemplate(Destination destination, String address, ProducerSettings settings) {
        this.destination = destination;
        this.address = address;
        this.settings = settings;
        this.variants = new Sections[settings.variants().size()];
        if (!settings.envelopeProperty()) {
            for (int i = 0; i < variants.length; i++) {
                variants[i] = new Sections(settings.variants().get(i), NO_ENVELOPE);
            }
        }
    }

    /** Returns the number of bytes of a whole message. */
    int size(Payload payload) {
        return headSize(payload) + payload.length();
    }

    private static int bodyHeader(int length) {
        return 3 + (length < 256 ? 2 : 5);
    }

    /** Returns the number of bytes before the body of a message. */
    int headSize(Payload payload) {
        return sections(payload).length + bodyHeader(payload.length());
    }

    /**
     * Appends what a part of a message has of the bytes before its body, and returns their number; what follows is of the body. A message
     * goes in parts into frames of any size, this one with {@code length} bytes from byte {@code at} on. The first part, at 0, makes the
     * message; the others follow in order.
     */
    int writeHead(ByteBuffer out, Payload payload, int at, int length) {
        Sections sections = sections(payload);
        if (at == 0) {
            if (sections.varies) {
                sections.stamp(payload);
            }
            sections.beginBody(payload.length());
        }
        int head = headSize(payload);
        int ofHead = Math.clamp(head - at, 0, length);
        if (ofHead > 0) {
            out.put(sections.bytes, at, ofHead);
        }
        return ofHead;
    }

    /** Returns the sections of a message's variant. They are encoded once the length of the envelope, which never changes, is known. */
    private Sections sections(Payload payload) {
        byte[] envelope = payload.envelope();
        int length = envelope == null ? NO_ENVELOPE : envelope.length;
        Sections known = variants[payload.variant()];
        if (known == null || known.envelopeLength != length) {
            known = new Sections(settings.variants().get(payload.variant()), length);
            variants[payload.variant()] = known;
        }
        return known;
    }

    /** The encoded sections of one variant. */
    private final class Sections {

        /** The encoded sections, and behind them room for the header of the body. */
        private final byte[] bytes;
        private final ByteBuffer places;
        private final int length;
        private final int envelopeLength;
        private final int counterAt;
        private final int createdAt;
        private final int expiresAt;
        private final int deliverAt;
        private final int envelopeAt;
        private final boolean varies;

        Sections(MessageVariant variant, int envelopeLength) {
            this.envelopeLength = envelopeLength;
            Performatives encoder = new Performatives();
            String group = variant.group();
            int headers = variant.headers().entrySet().stream()
                .mapToInt(e -> 16 + e.getKey().length() + e.getValue().length()).sum();
            ByteBuffer out = ByteBuffer.allocate(2048 + 2 * Math.max(0, envelopeLength)
                + 4 * (address.length() + (group == null ? 0 : group.length()) + headers));
            long ttl = settings.ttlMillis();
            if (settings.persistent() || ttl > 0 || variant.priority() >= 0) {
                Header header = new Header();
                header.setDurable(settings.persistent());
                if (variant.priority() >= 0) {
                    header.setPriority(UnsignedByte.valueOf((byte) variant.priority()));
                }
                if (ttl > 0) {
                    header.setTtl(UnsignedInteger.valueOf(Math.min(ttl, 0xffffffffL)));
                }
                encoder.encode(header, out);
            }

            // Values that occur nowhere else in the message mark the places to overwrite.
            UUID marks = UUID.randomUUID();
            String id = "ID:" + producer + ":" + "0".repeat(COUNTER_DIGITS);
            long created = producer.getMostSignificantBits() | 1;
            long expires = producer.getLeastSignificantBits() | 1;
            long delivered = marks.getMostSignificantBits() | 1;
            int start = out.position();
            Map<Symbol, Object> annotations = new LinkedHashMap<>();
            annotations.put(Symbol.valueOf("x-opt-jms-dest"), (byte) (destination.isTopic() ? 1 : 0));
            annotations.put(Symbol.valueOf("x-opt-jms-msg-type"), BYTES_MESSAGE);
            boolean delays = settings.delayMillis() > 0;
            if (delays) {
                annotations.put(Symbol.valueOf("x-opt-delivery-time"), delivered);
            }
            encoder.encode(new MessageAnnotations(annotations), out);

            Properties properties = new Properties();
            properties.setTo(address);
            properties.setContentType(Symbol.valueOf("application/octet-stream"));
            if (settings.messageIds()) {
                properties.setMessageId(id);
            }
            if (settings.timestamps()) {
                properties.setCreationTime(new Date(created));
            }
            if (ttl > 0) {
                properties.setAbsoluteExpiryTime(new Date(expires));
            }
            properties.setGroupId(group);
            encoder.encode(properties, out);

            Map<String, Object> all = new LinkedHashMap<>(variant.headers());
            String envelope = marks.toString().replace("-", "").repeat(1 + Math.max(0, envelopeLength) / 16)
                .substring(0, 2 * Math.max(0, envelopeLength));
            if (envelopeLength >= 0) {
                all.put(Payload.PROPERTY, envelope);
            }
            if (!all.isEmpty()) {
                encoder.encode(new ApplicationProperties(all), out);
            }

            length = out.position();
            bytes = new byte[length + LONGEST_BODY_HEADER];
            places = ByteBuffer.wrap(bytes);
            out.get(0, bytes, 0, length);
            counterAt = settings.messageIds() ? find(ascii(id), start) + id.length() - COUNTER_DIGITS : -1;
            createdAt = settings.timestamps() ? find(bytes(created), start) : -1;
            expiresAt = ttl > 0 ? find(bytes(expires), start) : -1;
            deliverAt = delays ? find(bytes(delivered), start) : -1;
            envelopeAt = envelopeLength > 0 ? find(ascii(envelope), start) : -1;
            varies = counterAt >= 0 || createdAt >= 0 || expiresAt >= 0 || deliverAt >= 0 || envelopeAt >= 0;
        }

        private int find(byte[] mark, int from) {
            for (int at = from; at <= length - mark.length; at++) {
                if (Arrays.equals(bytes, at, at + mark.length, mark, 0, mark.length)) {
                    return at;
                }
            }
            throw new IllegalStateException("an encoded property is not where it was encoded");
        }

        /** Writes the header of a body behind the sections. */
        private void beginBody(int size) {
            places.position(length).put((byte) 0).put((byte) 0x53).put((byte) 0x75);
            if (size < 256) {
                places.put((byte) 0xa0).put((byte) size);
            } else {
                places.put((byte) 0xb0).putInt(size);
            }
        }

        private void stamp(Payload payload) {
            if (counterAt >= 0) {
                long value = ++counter;
                for (int i = COUNTER_DIGITS - 1; i >= 0; i--) {
                    bytes[counterAt + i] = HEX[(int) (value & 0xf)];
                    value >>>= 4;
                }
            }
            byte[] envelope = payload.envelope();
            if (envelopeAt >= 0 && envelope != null) {
                PropertyText.encode(envelope, bytes, envelopeAt);
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

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
