package io.brokermeter.reports.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class RunLockTest {

    @TempDir
    Path directory;

    /** Returns whether another process can take the lock. */
    private static boolean isFree(Path file) throws Exception {
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
            "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Asking.class.getName(), file.toString()).inheritIO().start();
        return other.waitFor() == 0;
    }

    /** Main class of the other process. Exits with 0 if it takes the lock. */
    static final class Asking {
        public static void main(String[] args) throws Exception {
            System.exit(RunLock.exclusive(Path.of(args[0])).isPresent() ? 0 : 1);
        }
    }

    @Test
    void aProcessThatLooksAtItsOwnLockKeepsIt() throws Exception {
        Path file = directory.resolve("sweep.lock");
        try (RunLock _ = RunLock.exclusive(file).orElseThrow()) {
            assertThat(RunLock.isHeld(file)).isTrue();
            assertThat(RunLock.isHeld(directory.resolve("../" + directory.getFileName() + "/sweep.lock"))).isTrue();
            assertThat(RunLock.exclusive(file)).isEmpty();
            RunLock.take(file).close();
            assertThat(RunLock.owner(file)).isEqualTo(Long.toString(ProcessHandle.current().pid()));
            assertThat(isFree(file)).as("free for another process").isFalse();
        }
        assertThat(RunLock.isHeld(file)).isFalse();
        assertThat(Files.readString(file).strip()).isEqualTo(Long.toString(ProcessHandle.current().pid()));
        assertThat(isFree(file)).isTrue();
    }
}
