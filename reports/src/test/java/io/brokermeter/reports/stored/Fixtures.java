package io.brokermeter.reports.stored;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Directories that earlier versions wrote. */
public final class Fixtures {

    private static final Path RUNS = Path.of(System.getProperty("brokermeter.root", ".."), "reports", "src", "test", "resources", "runs");

    /** A client that sent 1,000 messages a second for 10 s, 2 s of them warm-up. */
    public static final Path RUN = RUNS.resolve("format-1");
    /** A trial with two groups of producers, two phases and thresholds, one of them missed. */
    public static final Path SECOND_RUN = RUNS.resolve("format-2");
    /** Two trials that failed. */
    public static final Path SWEEP = RUNS.resolve("sweep-format-1");

    private Fixtures() {}

    /** Copies a directory, so that the copy may be changed, and returns the copy. */
    public static Path copy(Path fixture, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(fixture)) {
            for (Path path : all.toList()) {
                Files.copy(path, to.resolve(fixture.relativize(path).toString()));
            }
        }
        return to;
    }
}
