package io.brokermeter.driver.mqtt;

import java.nio.ByteBuffer;
import java.util.Map;

/** What is the same in every message of a producer, encoded once. */
final class MessageTemplate {

    private final byte header;
    private final int idSize;
    private final byte[] topic;
    private final byte[] properties;

    private MessageTemplate(int header, int idSize, byte[] topic, byte[] properties) {
        this.header = (byte) header;
        this.idSize = idSize;
        this.topic = topic;
        this.properties = properties;
    }

    /**
     * @param topic the topic's name; empty where {@code alias} stands for it
     * @param alias number of the topic, 0 for none
     * @param ttlMillis time to live, 0 for none; the protocol counts in seconds, and a part of one counts as one
     */
    static MessageTemplate of(MqttOptions options, String topic, int alias, long ttlMillis, Map<String, String> headers) {
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
            properties = writer.field();
        }
        return new MessageTemplate(Packet.PUBLISH | options.qos() << 1 | (options.retain() ? 1 : 0),
            options.qos() > 0 ? 2 : 0, Packet.text(topic), properties);
    }

    /** The remaining length of the packet with a body of so many bytes. */
    long length(int body) {
        return (long) topic.length + idSize + properties.length + body;
    }

    /** Writes the packet; {@code id} counts only for a quality of service above 0. */
    void write(ByteBuffer out, int id, byte[] body, int length) {
        out.put(header);
        Packet.putLength(out, length);
        out.put(topic);
        if (idSize > 0) {
            out.putShort((short) id);
        }
        out.put(properties).put(body);
    }
}
