package io.brokermeter.live;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Writes a message of Protocol Buffers, field by field, in the wire format of its specification
 * (protobuf.dev/programming-guides/encoding). Fields are named by their numbers.
 */
final class ProtobufWriter {

    private static final int VARINT = 0;
    private static final int EIGHT_BYTES = 1;
    private static final int LENGTH = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Returns the message that {@code fields} writes. */
    static byte[] message(Consumer<ProtobufWriter> fields) {
        ProtobufWriter writer = new ProtobufWriter();
        fields.accept(writer);
        return writer.out.toByteArray();
    }

    private void raw(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void tag(int field, int type) {
        raw((long) field << 3 | type);
    }

    private ProtobufWriter bytes(int field, byte[] bytes) {
        tag(field, LENGTH);
        raw(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    /** Writes a message within this one. */
    ProtobufWriter with(int field, Consumer<ProtobufWriter> fields) {
        return bytes(field, message(fields));
    }

    ProtobufWriter text(int field, String text) {
        return bytes(field, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes a bool, an enum, or an int32 or uint64 that is not negative. */
    ProtobufWriter number(int field, long value) {
        tag(field, VARINT);
        raw(value);
        return this;
    }

    /** Writes a sint32. */
    ProtobufWriter signed(int field, int value) {
        return number(field, Integer.toUnsignedLong(value << 1 ^ value >> 31));
    }

    /** Writes a fixed64 or sfixed64. */
    ProtobufWriter fixed(int field, long value) {
        tag(field, EIGHT_BYTES);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            out.write((int) (value >>> shift));
        }
        return this;
    }

    ProtobufWriter real(int field, double value) {
        return fixed(field, Double.doubleToRawLongBits(value));
    }

    /** Writes packed uint64 values. */
    ProtobufWriter numbers(int field, long[] values) {
        return with(field, packed -> {
            for (long value : values) {
                packed.raw(value);
            }
        });
    }
}
