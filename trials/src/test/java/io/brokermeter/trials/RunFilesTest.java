package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFilesTest {

    private static final PrintStream NOWHERE = new PrintStream(PrintStream.nullOutputStream());

    /** The lock on {@code .owner} belongs to this process. If it is killed, the lock is free and the next command deletes the directory. */
    @Test
    void theDirectoryOfASweepThatKeepsNothingBelongsToItsProcessAndGoesWithTheSweep() throws Exception {
        RunFiles.SweepDirectory place = RunFiles.of("none", NOWHERE).sweep("s");
        try {
            assertThat(place.isKept()).isFalse();
            assertThat(place.directory().resolve(".owner")).exists();
        } finally {
            place.end();
        }
        assertThat(place.directory()).doesNotExist();
    }

    @Test
    void theDirectoryThatAUserNamedStays(@TempDir Path directory) throws Exception {
        RunFiles.SweepDirectory place = RunFiles.of(directory.resolve("out").toString(), NOWHERE).sweep("s");
        place.end();
        assertThat(place.isKept()).isTrue();
        assertThat(place.directory()).isEqualTo(directory.resolve("out")).isEmptyDirectory();
    }
}
