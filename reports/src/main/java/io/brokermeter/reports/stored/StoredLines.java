package io.brokermeter.reports.stored;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Lines of a file whose writer may have been killed while it wrote one. */
final class StoredLines {

    private StoredLines() {}

    /** Takes a line; one that throws {@link IllegalArgumentException} is counted and passed over. */
    interface Reader {
        void line(String line);
    }

    /**
     * Reads every line of a file, of one that is not there none.
     *
     * @return how many could not be read
     * @throws IOException when the file cannot be read
     */
    static long read(Path file, Reader reader) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        long damaged = 0;
        // Bytes that are no UTF-8 become signs that no reader takes, and the lines behind them are read.
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
