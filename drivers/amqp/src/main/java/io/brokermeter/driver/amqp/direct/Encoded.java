package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads AMQP's type encodings from a buffer without creating objects. Each method starts at a constructor byte at the buffer's position and
 * leaves the position behind the value. A malformed value results in a {@link RuntimeException}.
 */
final class Encoded {

    private Encoded() {}

    /** Skips one value of any type; a described value with its descriptor. */
    static void skip(ByteBuffer in) {
        int code = in.get() & 0xff;
        if (code == 0) {
            skip(in);
            skip(in);
            return;
        }
        int width = switch (code >>> 4) {
            case 0x4 -> 0;
            case 0x5 -> 1;
            case 0x6 -> 2;
            case 0x7 -> 4;
            case 0x8 -> 8;
            case 0x9 -> 16;
            case 0xa, 0xc, 0xe -> in.get() & 0xff;
            case 0xb, 0xd, 0xf -> in.getInt();
            default -> throw new IllegalArgumentException("unknown AMQP type code " + code);
        };
        if (width < 0 || width > in.remaining()) {
            throw new IllegalArgumentException("AMQP value of " + width + " bytes in a buffer of " + in.remaining());
        }
        in.position(in.position() + width);
    }

    /** Enters a list: returns the number of its elements and leaves the position at the first element. */
    static int list(ByteBuffer in) {
        int code = in.get() & 0xff;
        return switch (code) {
            case 0x45 -> 0;
            case 0xc0 -> {
                in.get();
                yield in.get() & 0xff;
            }
            case 0xd0 -> {
                in.getInt();
                yield in.getInt();
            }
            default -> throw new IllegalArgumentException("AMQP type code " + code + " where a list belongs");
        };
    }

    /** Returns the position behind the list that begins at the buffer's position, which does not change. */
    static int listEnd(ByteBuffer in) {
        int at = in.position();
        int code = in.get(at) & 0xff;
        return switch (code) {
            case 0x45 -> at + 1;
            case 0xc0 -> at + 2 + (in.get(at + 1) & 0xff);
            case 0xd0 -> at + 5 + in.getInt(at + 1);
            default -> throw new IllegalArgumentException("AMQP type code " + code + " where a list belongs");
        };
    }

    /** Reads an unsigned integer of 32 bits; returns {@code absent} for null. */
    static int uint(ByteBuffer in, int absent) {
        int code = in.get() & 0xff;
        return switch (code) {
            case 0x43 -> 0;
            case 0x52 -> in.get() & 0xff;
            case 0x70 -> in.getInt();
            case 0x40 -> absent;
            default -> throw new IllegalArgumentException("AMQP type code " + code + " where a uint belongs");
        };
    }

    /** Reads a boolean; returns false for null. */
    static boolean bool(ByteBuffer in) {
        int code = in.get() & 0xff;
        return switch (code) {
            case 0x41 -> true;
            case 0x42, 0x40 -> false;
            case 0x56 -> in.get() != 0;
            default -> throw new IllegalArgumentException("AMQP type code " + code + " where a boolean belongs");
        };
    }

    /** Reads the descriptor of a section or performative behind its 0x00 byte. Returns its number, or -1 for an unknown symbol. */
    static int descriptor(ByteBuffer in) {
        int code = in.get() & 0xff;
        return switch (code) {
            case 0x53 -> in.get() & 0xff;
            case 0x80 -> (int) in.getLong();
            case 0x44 -> 0;
            default -> {
                in.position(in.position() - 1);
                yield symbolDescriptor(in);
            }
        };
    }

    private static int symbolDescriptor(ByteBuffer in) {
        int code = in.get() & 0xff;
        int length = code == 0xa3 ? in.get() & 0xff : in.getInt();
        byte[] text = new byte[length];
        in.get(text);
        return switch (new String(text, StandardCharsets.US_ASCII)) {
            case "amqp:header:list" -> 0x70;
            case "amqp:data:binary" -> 0x75;
            case "amqp:amqp-value:*" -> 0x77;
            default -> -1;
        };
    }
}
