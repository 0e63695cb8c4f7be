package io.brokermeter.driver.mqtt;

import java.nio.ByteBuffer;
import java.util.Map;

import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/** The parts that all messages of a producer have in common, encoded once. */
final class MqttMessageTemplate {

    private final byte header;
    private final int idSize;
    private final byte[] topic;
    private final byte[] properties;
    /** Size of the envelope in bytes; it is encoded as hexadecimal digits at the end of the properties. */
    private final int envelope;

    private MqttMessageTemplate(int header, int idSize, byte[] topic, byte[] properties, int envelope) {
        this.header = (byte) header;
        this.idSize = idSize;
        this.topic = topic;
        this.properties = properties;
        this.envelope = envelope;
    }

    /**
     * @param topic name of the topic; empty if {@code alias} replaces it
     * @param alias topic alias, 0 for none
     * @param ttlMillis time to live in milliseconds, 0 for none; the protocol counts in seconds, and parts of a second are rounded up
     * @param headers user properties
     * @param envelope size in bytes of the envelope, which is a further user property; 0 for none
     */
    static MqttMessageTemplate of(
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
        return new MqttMessageTemplate(Packet.PUBLISH | options.qos() << 1 | (options.retain() ? 1 : 0),
            options.qos() > 0 ? 2 : 0, Packet.text(topic), properties, envelope);
    }

    /** Returns the remaining length of a packet with a body of {@code body} bytes. */
    long length(int body) {
        return (long) topic.length + idSize + properties.length + body;
    }

    /** Returns whether the template has room for exactly this envelope; true without an envelope. */
    boolean fits(byte @Nullable [] beside) {
        return beside == null || beside.length == envelope;
    }

    /** Appends a packet whose remaining length is {@code length}. The packet id is used only with a quality of service above 0. */
    void write(WriteBuffer to, int id, Payload payload, int length) {
        byte[] beside = payload.envelope();
        if (beside != null) {
            PropertyText.encode(beside, properties, properties.length - 2 * envelope);
        }
        ByteBuffer out = to.room(payload, Packet.LONGEST_HEADER + length - payload.length());
        out.put(header);
        Packet.putLength(out, length);
        out.put(topic);
        if (idSize > 0) {
            out.putShort((short) id);
        }
        out.put(properties);
        to.body(payload, 0, payload.length(), 0);
    }
}
