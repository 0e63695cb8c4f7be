package io.brokermeter.driver.mqtt;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.driver.wire.Wire;

/** Packets for tests, written independently of the code under test. */
final class Bytes {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static Bytes of(int... bytes) {
        return new Bytes().add(bytes);
    }

    Bytes add(int... bytes) {
        for (int each : bytes) {
            out.write(each);
        }
        return this;
    }

    Bytes text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return add(bytes.length >> 8, bytes.length).raw(bytes);
    }

    Bytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    byte[] array() {
        return out.toByteArray();
    }

    /** Returns a packet with its remaining length, encoded as in section 1.5.5 of MQTT 5.0. */
    static byte[] packet(int header, byte[] rest) {
        Bytes packet = of(header);
        int length = rest.length;
        do {
            int digit = length % 128;
            length /= 128;
            packet.add(length > 0 ? digit + 128 : digit);
        } while (length > 0);
        return packet.raw(rest).array();
    }

    /** Returns a PUBLISH packet of version 5 without properties. */
    static byte[] publish(int header, String topic, int id, String body) {
        Bytes rest = new Bytes().text(topic);
        if ((header & 6) != 0) {
            rest.add(id >> 8, id);
        }
        return packet(header, rest.add(0).raw(body.getBytes(StandardCharsets.UTF_8)).array());
    }

    /** Returns a wire that delivers bytes in pieces of the given sizes; the last size is repeated. */
    static Wire wire(byte[] bytes, int... sizes) {
        return new Wire() {

            private int at;
            private int piece;

            @Override
            public int read(ByteBuffer into) {
                if (at == bytes.length) {
                    return -1;
                }
                int size = sizes[Math.min(piece++, sizes.length - 1)];
                int count = Math.min(Math.min(size, bytes.length - at), into.remaining());
                into.put(bytes, at, count);
                at += count;
                return count;
            }

            @Override
            public void write(ByteBuffer from) {
                from.position(from.limit());
            }

            @Override
            public void end() {}

            @Override
            public void close() {}
        };
    }
}
