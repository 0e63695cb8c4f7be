package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.spi.failure.DriverException;

/** The types of control packets, as the upper half of their first byte, and the encoding of numbers and texts. */
final class Packet {

    static final int CONNECT = 0x10;
    static final int CONNACK = 0x20;
    static final int PUBLISH = 0x30;
    static final int PUBACK = 0x40;
    static final int PUBREC = 0x50;
    static final int PUBREL = 0x60;
    static final int PUBCOMP = 0x70;
    static final int SUBSCRIBE = 0x80;
    static final int SUBACK = 0x90;
    static final int UNSUBSCRIBE = 0xa0;
    static final int UNSUBACK = 0xb0;
    static final int PINGREQ = 0xc0;
    static final int PINGRESP = 0xd0;
    static final int DISCONNECT = 0xe0;
    static final int AUTH = 0xf0;

    /** Flags that SUBSCRIBE, UNSUBSCRIBE and PUBREL must carry. */
    static final int RESERVED_FLAGS = 0x02;

    /** The largest remaining length of a packet, in bytes. */
    static final int LARGEST = 268_435_455;

    /** Length of the longest fixed header, in bytes. */
    static final int LONGEST_HEADER = 5;

    private static final int LONGEST_TEXT = 65_535;

    private Packet() {}

    /** Writes a variable byte integer (section 1.5.5). */
    static void putLength(ByteBuffer out, int length) {
        int rest = length;
        while (rest > 0x7f) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    /** Returns the number of bytes that {@link #putLength} writes. */
    static int lengthSize(int length) {
        return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
    }

    /** Reads a variable byte integer. */
    static int length(ByteBuffer in) throws IOException {
        int length = 0;
        for (int shift = 0; shift < 28; shift += 7) {
            byte digit = in.get();
            length |= (digit & 0x7f) << shift;
            if (digit >= 0) {
                return length;
            }
        }
        throw new DriverException("The broker sent a number that is no variable byte integer.", null);
    }

    /** Returns an encoded text, with its length in front. */
    static byte[] text(String text) {
        return field(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns bytes with their length in front. */
    static byte[] field(byte[] bytes) {
        if (bytes.length > LONGEST_TEXT) {
            throw new IllegalArgumentException("MQTT texts have at most " + LONGEST_TEXT + " bytes, not " + bytes.length + ".");
        }
        return ByteBuffer.allocate(2 + bytes.length).putShort((short) bytes.length).put(bytes).array();
    }

    /** Reads a text. */
    static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort() & 0xffff];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
