package io.brokermeter.reports.stored;

import java.io.BufferedReader;
import java.io.IOException;
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
        if (!Files.exists(file)) {
            return 0;
        }
        long damaged = 0;
        // Bytes that are not UTF-8 become characters that no reader accepts, and the lines after them are read.
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
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
}
