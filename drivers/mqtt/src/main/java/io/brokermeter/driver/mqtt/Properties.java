package io.brokermeter.driver.mqtt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** The properties of a packet of version 5 (section 2.2.2), as far as this driver uses them. Not for the hot path, except {@link #user}. */
final class Properties {

    static final int MESSAGE_EXPIRY = 0x02;
    static final int SESSION_EXPIRY = 0x11;
    static final int ASSIGNED_CLIENT_ID = 0x12;
    static final int SERVER_KEEP_ALIVE = 0x13;
    static final int REASON = 0x1f;
    static final int RECEIVE_MAXIMUM = 0x21;
    static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    static final int TOPIC_ALIAS = 0x23;
    static final int MAXIMUM_QOS = 0x24;
    static final int RETAIN_AVAILABLE = 0x25;
    static final int USER = 0x26;
    static final int MAXIMUM_PACKET_SIZE = 0x27;
    static final int SHARED_AVAILABLE = 0x2a;

    private static final int KNOWN = 0x2b;
    private static final long ABSENT = -1;

    private final long[] numbers = new long[KNOWN];
    private @Nullable String reason;

    private Properties() {
        java.util.Arrays.fill(numbers, ABSENT);
    }

    /** Returns the properties of a packet that has none. */
    static Properties none() {
        return new Properties();
    }

    /** Reads properties that begin with their length, and leaves the position behind them. */
    static Properties read(ByteBuffer in) throws IOException {
        Properties properties = new Properties();
        int length = Packet.length(in);
        int end = in.position() + length;
        if (end > in.limit()) {
            throw new DriverException("The broker sent properties that are longer than their packet.", null);
        }
        while (in.position() < end) {
            int id = Packet.length(in);
            switch (id) {
                case 0x01, 0x17, 0x19, MAXIMUM_QOS, RETAIN_AVAILABLE, 0x28, 0x29, SHARED_AVAILABLE ->
                    properties.numbers[id] = in.get() & 0xff;
                case SERVER_KEEP_ALIVE, RECEIVE_MAXIMUM, TOPIC_ALIAS_MAXIMUM, TOPIC_ALIAS ->
                    properties.numbers[id] = in.getShort() & 0xffff;
                case MESSAGE_EXPIRY, SESSION_EXPIRY, 0x18, MAXIMUM_PACKET_SIZE ->
                    properties.numbers[id] = in.getInt() & 0xffff_ffffL;
                case 0x0b -> properties.numbers[id] = Packet.length(in);
                case REASON -> properties.reason = Packet.text(in);
                case 0x03, 0x08, 0x09, ASSIGNED_CLIENT_ID, 0x15, 0x16, 0x1a, 0x1c -> skip(in);
                case USER -> {
                    skip(in);
                    skip(in);
                }
                default -> throw new DriverException("The broker sent the unknown property " + id + ".", null);
            }
        }
        return properties;
    }

    /**
     * Finds a user property between two positions of a buffer that enclose properties without their length. Allocates nothing.
     *
     * @return position of the length of its value, or -1
     */
    static int user(ByteBuffer in, int from, int to, byte[] name) {
        int at = from;
        while (at < to) {
            int id = in.get(at++);
            switch (id) {
                case 0x01, 0x17, 0x19, MAXIMUM_QOS, RETAIN_AVAILABLE, 0x28, 0x29, SHARED_AVAILABLE -> at++;
                case SERVER_KEEP_ALIVE, RECEIVE_MAXIMUM, TOPIC_ALIAS_MAXIMUM, TOPIC_ALIAS -> at += 2;
                case MESSAGE_EXPIRY, SESSION_EXPIRY, 0x18, MAXIMUM_PACKET_SIZE -> at += 4;
                case 0x0b -> {
                    while (at < to && in.get(at) < 0) {
                        at++;
                    }
                    at++;
                }
                case USER -> {
                    int value = behind(in, at, to);
                    if (value + 2 <= to && equal(in, at, name)) {
                        return value;
                    }
                    at = behind(in, value, to);
                }
                default -> at = behind(in, at, to);
            }
        }
        return -1;
    }

    /** Returns the position behind a field that begins with its length; at most {@code to}. */
    private static int behind(ByteBuffer in, int at, int to) {
        return at + 2 > to ? to : Math.min(to, at + 2 + (in.getShort(at) & 0xffff));
    }

    private static boolean equal(ByteBuffer in, int at, byte[] text) {
        if ((in.getShort(at) & 0xffff) != text.length) {
            return false;
        }
        for (int i = 0; i < text.length; i++) {
            if (in.get(at + 2 + i) != text[i]) {
                return false;
            }
        }
        return true;
    }

    private static void skip(ByteBuffer in) {
        int length = in.getShort() & 0xffff;
        in.position(in.position() + length);
    }

    /** Returns the value of a numeric property, or {@code otherwise} if it is absent. */
    long number(int id, long otherwise) {
        return numbers[id] == ABSENT ? otherwise : numbers[id];
    }

    /** Returns the broker's explanation of its reason code; empty if there is none. */
    String reason() {
        return reason == null ? "" : reason;
    }

    /** Encodes properties to be sent. */
    static final class Writer {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Writer number2(int id, int value) {
            bytes.write(id);
            bytes.writeBytes(ByteBuffer.allocate(2).putShort((short) value).array());
            return this;
        }

        Writer number4(int id, long value) {
            bytes.write(id);
            bytes.writeBytes(ByteBuffer.allocate(4).putInt((int) value).array());
            return this;
        }

        Writer pair(int id, String name, String value) {
            bytes.write(id);
            bytes.writeBytes(Packet.text(name));
            bytes.writeBytes(Packet.text(value));
            return this;
        }

        /** Returns the encoded properties, with their length in front. */
        byte[] field() {
            ByteBuffer field = ByteBuffer.allocate(Packet.lengthSize(bytes.size()) + bytes.size());
            Packet.putLength(field, bytes.size());
            return field.put(bytes.toByteArray()).array();
        }
    }
}
