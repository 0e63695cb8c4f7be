package io.brokermeter.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** The bytes of {@link Payload#PROPERTY} as lower-case hexadecimal text, for protocols whose properties are texts. */
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

    /** The digits as a text. */
    public static String encode(byte[] bytes) {
        byte[] digits = new byte[bytes.length * 2];
        encode(bytes, digits, 0);
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    /** The bytes that a text stands for, or null when it is no such text. */
    public static @Nullable ByteBuffer decode(CharSequence text) {
        byte[] bytes = new byte[text.length() / 2];
        int count = decode(text, bytes);
        return count < 0 ? null : ByteBuffer.wrap(bytes);
    }

    /**
     * Writes the bytes that a text stands for into {@code into} from 0 on. Allocates nothing.
     *
     * @return how many they are, or -1 when it is no such text or {@code into} is too short
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
