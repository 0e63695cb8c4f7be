package io.brokermeter.engine.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Texts of files that a user names. What is no plain file ({@code /dev/zero}, a pipe) has no size to be asked for first, so
 * the reading itself ends.
 */
public final class BoundedText {

    /** The longest line that {@link #firstLine} takes, in bytes. */
    public static final int LONGEST_LINE = 64 << 10;

    private BoundedText() {}

    /** The file is longer than anything that is meant. */
    public static final class TooLong extends IOException {

        private static final long serialVersionUID = 1L;

        TooLong(int most) {
            super("it is longer than " + most + " bytes");
        }
    }

    /**
     * The whole text.
     *
     * @param most how many bytes it may have
     * @throws TooLong when it has more
     * @throws CharacterCodingException when it is not UTF-8
     */
    public static String read(Path file, int most) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new TooLong(most);
            }
            return decoded(bytes, bytes.length);
        }
    }

    /**
     * The first line, without its end; empty when there is none.
     *
     * @throws TooLong when it has more than {@link #LONGEST_LINE} bytes
     * @throws CharacterCodingException when it is not UTF-8
     */
    public static String firstLine(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LONGEST_LINE + 1);
            int end = 0;
            while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
                end++;
            }
            if (end > LONGEST_LINE) {
                throw new TooLong(LONGEST_LINE);
            }
            return decoded(bytes, end);
        }
    }

    private static String decoded(byte[] bytes, int length) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
    }
}
