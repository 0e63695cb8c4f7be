package io.brokermeter.engine.envelope;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

import io.brokermeter.engine.scenario.UsageException;

/**
 * The lines of a file, in one array. As in a trace, lines end with {@code \n}, {@code \r} or {@code \r\n} and blank lines are
 * left out, as is the byte order mark of UTF-8, so that line {@code i} of a log belongs to its {@code i}-th time stamp. Immutable; takes the
 * memory of the file and 4 bytes for each line.
 */
final class FileLines {

    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final byte[] bytes;
    /** The offset of each line, followed by the end of the last line. */
    private final int[] starts;
    private final int longest;

    private FileLines(byte[] bytes, int[] starts) {
        this.bytes = bytes;
        this.starts = starts;
        int most = 0;
        for (int i = 0; i + 1 < starts.length; i++) {
            most = Math.max(most, starts[i + 1] - starts[i]);
        }
        this.longest = most;
    }

    /** Reads a file; throws a {@link UsageException} with the reason if that is impossible or all lines are blank. */
    static FileLines read(Path file) {
        byte[] bytes = BodyFile.read(file);
        int[] starts = new int[1024];
        int count = 0;
        int kept = 0;
        boolean marked = Arrays.equals(Arrays.copyOf(bytes, MARK.length), MARK);
        for (int at = marked ? MARK.length : 0; at < bytes.length;) {
            int end = at;
            while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
                end++;
            }
            if (!isBlank(bytes, at, end)) {
                if (count + 1 == starts.length) {
                    starts = Arrays.copyOf(starts, starts.length * 2);
                }
                // The lines that are kept are moved together within the same array.
                System.arraycopy(bytes, at, bytes, kept, end - at);
                starts[count++] = kept;
                kept += end - at;
            }
            // Between the two characters of an end is a blank line.
            at = end + 1;
        }
        if (count == 0) {
            throw new UsageException("File " + file + ", whose lines are to be sent, has none but blank ones.");
        }
        starts[count] = kept;
        return new FileLines(bytes, Arrays.copyOf(starts, count + 1));
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] < 0) {
                return new String(bytes, from, to - from, StandardCharsets.UTF_8).isBlank();
            }
            if (!Character.isWhitespace(bytes[i])) {
                return false;
            }
        }
        return true;
    }

    int count() {
        return starts.length - 1;
    }

    /** Returns the length of the longest line, in bytes. */
    int longest() {
        return longest;
    }

    /** Copies a line to the beginning of {@code target} and returns its length in bytes. */
    int copy(int line, byte[] target) {
        int length = starts[line + 1] - starts[line];
        System.arraycopy(bytes, starts[line], target, 0, length);
        return length;
    }
}
