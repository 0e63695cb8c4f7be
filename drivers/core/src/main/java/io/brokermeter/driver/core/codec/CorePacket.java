package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.driver.wire.WriteBuffer;
import org.jspecify.annotations.Nullable;

/** A packet to be written, for packets that are no messages; grows as needed. Also reads the texts of received packets. */
final class CorePacket {

    /** Texts of fewer characters are encoded character by character, longer ones in UTF-8. */
    private static final int SHORT_TEXT = 9;
    /** Texts of at least so many characters are encoded in UTF-16. */
    private static final int LONG_TEXT = 0xfff;

    private ByteBuffer bytes = ByteBuffer.allocate(128);

    CorePacket(byte type, long channel) {
        bytes.putInt(0).put(type).putLong(channel);
    }

    private ByteBuffer room(int count) {
        if (bytes.remaining() < count) {
            bytes = ByteBuffer.allocate(2 * bytes.capacity() + count).put(bytes.flip());
        }
        return bytes;
    }

    CorePacket number(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    CorePacket number(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    CorePacket octet(int value) {
        room(1).put((byte) value);
        return this;
    }

    CorePacket flag(boolean value) {
        return octet(value ? -1 : 0);
    }

    /** Adds a name or a filter. */
    CorePacket name(String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_16LE);
        room(Integer.BYTES + encoded.length).putInt(encoded.length).put(encoded);
        return this;
    }

    CorePacket nullableName(@Nullable String value) {
        octet(value == null ? 0 : 1);
        return value == null ? this : name(value);
    }

    /** Adds a text, which the protocol encodes in another way than a name. */
    CorePacket text(String value) {
        int length = value.length();
        number(length);
        if (length < SHORT_TEXT) {
            for (int i = 0; i < length; i++) {
                room(2).putChar(value.charAt(i));
            }
        } else if (length < LONG_TEXT) {
            utf8(value);
        } else {
            name(value);
        }
        return this;
    }

    CorePacket nullableText(@Nullable String value) {
        octet(value == null ? 0 : 1);
        return value == null ? this : text(value);
    }

    /** Each character by itself, halves of surrogate pairs too, as the protocol has it. */
    private void utf8(String value) {
        room(2 + 3 * value.length());
        int start = bytes.position();
        bytes.putShort((short) 0);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                bytes.put((byte) c);
            } else if (c < 0x800) {
                bytes.put((byte) (0xc0 | c >> 6)).put((byte) (0x80 | c & 0x3f));
            } else {
                bytes.put((byte) (0xe0 | c >> 12)).put((byte) (0x80 | c >> 6 & 0x3f)).put((byte) (0x80 | c & 0x3f));
            }
        }
        bytes.putShort(start, (short) (bytes.position() - start - 2));
    }

    /** Returns the encoded packet; nothing can be added any more. */
    ByteBuffer encoded() {
        return bytes.putInt(0, bytes.position() - Integer.BYTES).flip();
    }

    /** Appends the packet to the output. Call under the connection's lock, once. */
    void appendTo(WriteBuffer out) {
        ByteBuffer packet = encoded();
        out.append(packet.array(), packet.limit());
    }

    // ---- reading

    static String readName(ByteBuffer in) {
        byte[] encoded = new byte[in.getInt()];
        in.get(encoded);
        return new String(encoded, StandardCharsets.UTF_16LE);
    }

    static @Nullable String readNullableName(ByteBuffer in) {
        return in.get() == 0 ? null : readName(in);
    }

    static @Nullable String readNullableText(ByteBuffer in) {
        if (in.get() == 0) {
            return null;
        }
        int length = in.getInt();
        if (length >= LONG_TEXT) {
            return readName(in);
        }
        StringBuilder text = new StringBuilder();
        if (length < SHORT_TEXT) {
            for (int i = 0; i < length; i++) {
                text.append(in.getChar());
            }
            return text.toString();
        }
        int end = (in.getShort() & 0xffff) + in.position();
        while (in.position() < end) {
            int first = in.get();
            if (first >= 0) {
                text.append((char) first);
            } else if ((first & 0xe0) == 0xc0) {
                text.append((char) ((first & 0x1f) << 6 | in.get() & 0x3f));
            } else {
                text.append((char) ((first & 0x0f) << 12 | (in.get() & 0x3f) << 6 | in.get() & 0x3f));
            }
        }
        return text.toString();
    }
}
