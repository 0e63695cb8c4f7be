package io.brokermeter.driver.mqtt;

import java.nio.ByteBuffer;
import java.util.Map;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.PropertyText;
import org.jspecify.annotations.Nullable;

/** What is the same in every message of a producer, encoded once. */
final class MessageTemplate {

    private final byte header;
    private final int idSize;
    private final byte[] topic;
    private final byte[] properties;
    /** Bytes of the envelope that has its place at the end of the properties, as digits. */
    private final int envelope;

    private MessageTemplate(int header, int idSize, byte[] topic, byte[] properties, int envelope) {
        this.header = (byte) header;
        this.idSize = idSize;
        this.topic = topic;
        this.properties = properties;
        this.envelope = envelope;
    }

    /**
     * @param topic the topic's name; empty where {@code alias} stands for it
     * @param alias number of the topic, 0 for none
     * @param ttlMillis time to live, 0 for none; the protocol counts in seconds, and a part of one counts as one
     * @param headers user properties
     * @param envelope bytes of the envelope, which is one more of them; 0 for none
     */
    static MessageTemplate of(
            MqttOptions options, String topic, int alias, long ttlMillis, Map<String, String> headers, int envelope) {
        byte[] properties = new byte[0];
        if (options.five()) {
            Properties.Writer writer = new Properties.Writer();
            if (ttlMillis > 0) {
                writer.number4(Properties.MESSAGE_EXPIRY, Math.min((ttlMillis + 999) / 1000, 0xffff_ffffL));
            }
            if (alias > 0) {
                writer.number2(Properties.TOPIC_ALIAS, alias);
            }
            headers.forEach((name, value) -> writer.pair(Properties.USER, name, value));
            if (envelope > 0) {
                writer.pair(Properties.USER, Payload.PROPERTY, "0".repeat(2 * envelope));
            }
            properties = writer.field();
        }
        return new MessageTemplate(Packet.PUBLISH | options.qos() << 1 | (options.retain() ? 1 : 0),
            options.qos() > 0 ? 2 : 0, Packet.text(topic), properties, envelope);
    }

    /** The remaining length of the packet with a body of {@code body} bytes. */
    long length(int body) {
        return (long) topic.length + idSize + properties.length + body;
    }

    /** Whether it has room for just this envelope. */
    boolean fits(byte @Nullable [] beside) {
        return beside == null || beside.length == envelope;
    }

    /** Writes the packet of this length; {@code id} counts only for a quality of service above 0. */
    void write(ByteBuffer out, int id, Payload payload, int length) {
        byte[] beside = payload.envelope();
        if (beside != null) {
            PropertyText.encode(beside, properties, properties.length - 2 * envelope);
        }
        out.put(header);
        Packet.putLength(out, length);
        out.put(topic);
        if (idSize > 0) {
            out.putShort((short) id);
        }
        out.put(properties).put(payload.bytes(), 0, payload.length());
    }
}
