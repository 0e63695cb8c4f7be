package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;

/**
 * The exchange of CONNECT and CONNACK.
 *
 * @param clientId client id, which identifies the session
 * @param cleanStart whether the session begins empty
 * @param expiry how long the broker keeps the session after its connection ended, in seconds; 0 for not at all
 */
record Handshake(String clientId, boolean cleanStart, long expiry) {

    private static final int CLEAN = 0x02;
    private static final int PASSWORD = 0x40;
    private static final int USER = 0x80;
    private static final int NO_LIMIT = 65_535;

    ByteBuffer request(ConnectionSettings settings, MqttOptions options) {
        byte[] id = Packet.text(clientId);
        String user = settings.user();
        Secret password = settings.password();
        byte[] userField = user == null ? new byte[0] : Packet.text(user);
        byte[] passwordField = password == null ? new byte[0] : Packet.text(password.reveal());
        byte[] properties = options.five() ? properties(options) : new byte[0];
        // version 3.1.1 has no expiry: a session that is to be kept is one that is not clean
        boolean clean = options.five() ? cleanStart : expiry == 0;
        int flags = (clean ? CLEAN : 0) | (user == null ? 0 : USER) | (password == null ? 0 : PASSWORD);
        int length = 10 + properties.length + id.length + userField.length + passwordField.length;
        ByteBuffer packet = ByteBuffer.allocate(Packet.LONGEST_HEADER + length);
        packet.put((byte) Packet.CONNECT);
        Packet.putLength(packet, length);
        packet.putShort((short) 4).put("MQTT".getBytes(StandardCharsets.US_ASCII));
        packet.put((byte) (options.five() ? 5 : 4)).put((byte) flags).putShort((short) options.keepAlive());
        return packet.put(properties).put(id).put(userField).put(passwordField).flip();
    }

    private byte[] properties(MqttOptions options) {
        Properties.Writer properties = new Properties.Writer();
        if (expiry > 0) {
            properties.number4(Properties.SESSION_EXPIRY, expiry);
        }
        if (options.receiveMaximum() < NO_LIMIT) {
            properties.number2(Properties.RECEIVE_MAXIMUM, options.receiveMaximum());
        }
        if (options.maximumPacketSize() > 0) {
            properties.number4(Properties.MAXIMUM_PACKET_SIZE, options.maximumPacketSize());
        }
        if (options.topicAlias() > 0) {
            properties.number2(Properties.TOPIC_ALIAS_MAXIMUM, options.topicAlias());
        }
        return properties.field();
    }

    /** Reads the broker's answer, or throws an exception with a sentence about the refusal. */
    Grant answer(PacketReader incoming, ConnectionSettings settings, MqttOptions options) throws IOException {
        ByteBuffer in = incoming.view(incoming.buffer().position(), incoming.end());
        if (incoming.header() != Packet.CONNACK || in.remaining() < 2) {
            throw new DriverException("What listens there does not speak MQTT: its first packet begins with 0x%02x, in place of 0x%02x."
                .formatted(incoming.header(), Packet.CONNACK), null);
        }
        boolean present = (in.get() & 1) != 0;
        int code = in.get() & 0xff;
        int reason = options.five() ? code : Reason.ofReturnCode(code);
        // a broker that does not know version 5 answers in the form of 3.1.1
        if (options.five() && code > 0 && code < Reason.FAILURE) {
            reason = Reason.ofReturnCode(code);
        }
        Properties properties = options.five() && in.hasRemaining() ? Properties.read(in) : Properties.none();
        if (reason != 0) {
            throw refused(reason, properties.reason(), settings, options);
        }
        Grant grant = Grant.of(present, properties, options.keepAlive(), expiry);
        if (present && cleanStart && options.five()) {
            throw new DriverException("The broker resumed the session of client id '" + clientId
                + "', although a new one was requested.", null);
        }
        check(grant, options);
        return grant;
    }

    private static void check(Grant grant, MqttOptions options) throws DriverException {
        if (options.qos() > grant.maximumQos()) {
            throw new DriverException("The broker takes messages up to QoS " + grant.maximumQos() + " only; set qos to that or less.",
                null);
        }
        if (options.retain() && !grant.retain()) {
            throw new DriverException("The broker keeps no retained messages; leave out retain.", null);
        }
    }

    private DriverException refused(int reason, String added, ConnectionSettings settings, MqttOptions options) {
        String text = Reason.text(reason, added);
        String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
        return reason == 0x85 ? new DriverException(new Refusal("The broker refused the client id '%s' (%s); choose another %s.", clientId,
            text, Setting.CLIENT_ID)) : new DriverException(switch (reason) {
                case 0x84 -> "The broker does not speak " + options.version() + "; set the parameter version to "
                    + (options.five() ? "3.1.1" : "5") + " (" + text + ").";
                case 0x86, 0x87, 0x8a, 0x8c -> "The broker refused " + who + " (" + text + "); check user and password.";
                default -> "The broker refused the connection (" + text + ").";
            }, null);
    }
}
