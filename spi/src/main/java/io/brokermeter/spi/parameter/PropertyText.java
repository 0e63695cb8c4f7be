package io.brokermeter.spi.parameter;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;

/** Converts the bytes of {@link Payload#PROPERTY} to and from lower-case hexadecimal text, for protocols whose properties are texts. */
public final class PropertyText {

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private PropertyText() {}

    /** Writes {@code 2 * bytes.length} ASCII digits into {@code into} from {@code at} on. Allocates nothing. */
    public static void encode(byte[] bytes, byte[] into, int at) {
        int to = at;
        for (byte b : bytes) {
            into[to++] = DIGITS[b >> 4 & 15];
            into[to++] = DIGITS[b & 15];
        }
    }

    /** Returns bytes as hexadecimal text. */
    public static String encode(byte[] bytes) {
        byte[] digits = new byte[bytes.length * 2];
        encode(bytes, digits, 0);
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reads digits from a buffer, from {@code from} up to but without {@code to}. Allocates nothing.
     *
     * @param into gets the bytes between position 0 and limit
     * @return false when the digits are none or not hexadecimal, or stand for more bytes than {@code into} has room for
     */
    public static boolean decode(ByteBuffer digits, int from, int to, ByteBuffer into) {
        int length = to - from >> 1;
        if (to - from != 2 * length || length == 0 || length > into.capacity()) {
            return false;
        }
        into.clear().limit(length);
        for (int i = 0; i < length; i++) {
            int high = digit(digits.get(from + 2 * i));
            int low = digit(digits.get(from + 2 * i + 1));
            if (high < 0 || low < 0) {
                return false;
            }
            into.put(i, (byte) (high << 4 | low));
        }
        return true;
    }

    private static int digit(byte text) {
        return text >= '0' && text <= '9' ? text - '0' : text >= 'a' && text <= 'f' ? text - 'a' + 10
            : text >= 'A' && text <= 'F' ? text - 'A' + 10 : -1;
    }

    /** Returns the bytes of a hexadecimal text, or null when the text is empty or not hexadecimal. */
    public static @Nullable ByteBuffer decode(CharSequence text) {
        byte[] bytes = new byte[text.length() / 2];
        int count = decode(text, bytes);
        return count < 0 ? null : ByteBuffer.wrap(bytes);
    }

    /**
     * Writes the bytes of a hexadecimal text into {@code into} from index 0 on. Allocates nothing.
     *
     * @return number of bytes, or -1 when the text is empty or not hexadecimal, or {@code into} is too short
     */
    public static int decode(CharSequence text, byte[] into) {
        int count = text.length() / 2;
        if (text.isEmpty() || text.length() % 2 != 0 || count > into.length) {
            return -1;
        }
        for (int i = 0; i < count; i++) {
            int high = Character.digit(text.charAt(2 * i), 16);
            int low = Character.digit(text.charAt(2 * i + 1), 16);
            if (high < 0 || low < 0) {
                return -1;
            }
            into[i] = (byte) (high << 4 | low);
        }
        return count;
    }
}
