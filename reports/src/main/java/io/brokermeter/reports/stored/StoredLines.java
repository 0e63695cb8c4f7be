package io.brokermeter.reports.stored;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the lines of a file whose writer may have been killed while it wrote one. */
final class StoredLines {

    private StoredLines() {}

    /** Receives a line; one for which this throws {@link IllegalArgumentException} is counted and skipped. */
    interface Reader {
        void line(String line);
    }

    /**
     * Reads every line of a file; none of a missing file.
     *
     * @return the number of lines that could not be read
     * @throws IOException if the file cannot be read
     */
    static long read(Path file, Reader reader) throws IOException {
        return read(file, 0, Long.MAX_VALUE, reader);
    }

    /**
     * Reads the lines of a part of a file, as {@link #read(Path, Reader)} does.
     *
     * @param from offset of the first byte of a line
     * @param to offset behind the last byte of a line, or a larger one than the file has
     */
    static long read(Path file, long from, long to, Reader reader) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        long damaged = 0;
        // Bytes that are not UTF-8 become characters that no reader accepts, and the lines after them are read.
        try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(new Part(Files.newInputStream(file), from, to), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    if (!line.isBlank()) {
                        reader.line(line);
                    }
                } catch (IllegalArgumentException e) {
                    damaged++;
                }
            }
        }
        return damaged;
    }

    /** The bytes of a stream between two offsets. */
    private static final class Part extends FilterInputStream {

        private long left;

        Part(InputStream whole, long from, long to) throws IOException {
            super(whole);
            left = to - from;
            whole.skipNBytes(from);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int got = left <= 0 ? -1 : super.read(bytes, offset, (int) Math.min(length, left));
            left -= Math.max(0, got);
            return got;
        }
    }
}
