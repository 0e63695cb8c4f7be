package io.brokermeter.engine.scenario.message;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads texts of limited length from files that a user names. What is not a regular file ({@code /dev/zero}, a pipe) has no size
 * that could be checked first, so the reading itself ends at the limit. A byte order mark, which some editors write, is no part of
 * the text.
 */
public final class BoundedText {

    /** The longest line that {@link #firstLine} accepts, in bytes. */
    public static final int LONGEST_LINE = 64 << 10;

    private BoundedText() {}

    /** Thrown if a file, or its first line, is longer than any sensible one. */
    public static final class TooLong extends IOException {

        private static final long serialVersionUID = 1L;

        TooLong(int most) {
            super("it is longer than " + most + " bytes");
        }
    }

    /**
     * Reads the whole text of a file.
     *
     * @param most largest number of bytes that the file may have
     * @throws TooLong if the file has more bytes
     * @throws CharacterCodingException if the text is not UTF-8
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
     * Reads the first line of a file, without its end; empty if there is none.
     *
     * @throws TooLong if the line has more than {@link #LONGEST_LINE} bytes
     * @throws CharacterCodingException if the line is not UTF-8
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
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }
}
