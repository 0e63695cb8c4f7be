package io.brokermeter.engine.run.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link WindowInterleavings} in a process of its own, since jcstress is a program. */
@Timeout(960)
class WindowInterleavingsTest {

    @Test
    void eachMessageIsSettledOnceInAllInterleavings(@TempDir Path directory) throws Exception {
        Path output = directory.resolve("output");
        Process jcstress = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), "org.openjdk.jcstress.Main",
            "-t", WindowInterleavings.class.getSimpleName(), "-m", "quick", "-sc", "false", "-af", "NONE", "-time", "20", "-iters", "1",
            "-r", directory + "/results/")
            .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertThat(jcstress.waitFor(420, TimeUnit.SECONDS)).as("the end of jcstress").isTrue();
        } finally {
            jcstress.descendants().forEach(ProcessHandle::destroyForcibly);
            jcstress.destroyForcibly();
        }
        String text = Files.readString(output);
        assertThat(jcstress.exitValue()).as(text).isZero();
        assertThat(text).contains("All remaining tests: 5 matching test results");
    }
}
