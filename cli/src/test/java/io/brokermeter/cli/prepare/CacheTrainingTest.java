package io.brokermeter.cli.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;

import io.brokermeter.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheTrainingTest {

    @TempDir
    Path directory;

    @Test
    void aCacheThatTheJvmCrashesOnIsSeen() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path cache = directory.resolve("some.aot");
        assertThat(CacheTraining.starts(List.of(java, "-XX:AOTCacheOutput=" + cache), directory)).isTrue();
        List<String> with = List.of(java, "-XX:-CreateCoredumpOnCrash", "-XX:AOTCache=" + cache);
        assertThat(CacheTraining.starts(with, directory)).isTrue();
        try (FileChannel file = FileChannel.open(cache, StandardOpenOption.WRITE)) {
            long size = file.size();
            file.write(ByteBuffer.allocate((int) (size / 2)), size / 4);
            assertThat(file.size()).isEqualTo(size);
        }
        assertThat(CacheTraining.starts(with, directory)).isFalse();
    }

    /** A training would create the directory of the cache, and use both cores for half a minute. */
    @Test
    void aDryRunTrainsNothing() throws Exception {
        Path file = Files.writeString(directory.resolve("t.yaml"), """
            url: loopback://x
            destinations: [queue://Q]
            producers: {}
            duration: 1s
            """);
        Path cache = directory.resolve("aot");
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        launched(cache, file, () -> assertThat(new Main(nowhere, nowhere, Map.of()).run("run", file.toString(), "--dry-run")).isZero());
        assertThat(cache).doesNotExist();
    }

    @Test
    void aCacheIsCurrentUntilAProgramIsNewerThanIt() throws Exception {
        Path built = Files.writeString(directory.resolve("built"), "");
        Path cache = Files.createDirectory(directory.resolve("aot"));
        launched(cache, built, () -> {
            CacheTraining training = CacheTraining.of().orElseThrow();
            assertThat(training.isCurrent()).isFalse();
            Path done = Files.writeString(cache.resolve("done"), "artemis kafka\n");
            // A training that failed.
            assertThat(training.isCurrent()).isFalse();
            Files.writeString(cache.resolve("brokermeter.aot"), "");
            Files.setLastModifiedTime(built, FileTime.fromMillis(1_000));
            assertThat(training.isCurrent()).isTrue();
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
            assertThat(new Main(out, out, Map.of()).run("prepare")).isZero();
            assertThat(said.toString(StandardCharsets.UTF_8).strip()).isEqualTo("Later starts are prepared already.");
            Files.setLastModifiedTime(done, FileTime.fromMillis(500));
            assertThat(training.isCurrent()).isFalse();
        });
    }

    private interface Step {

        void run() throws Exception;
    }

    private void launched(Path cache, Path built, Step step) throws Exception {
        Map<String, String> launcher = Map.of("brokermeter.aot", cache.toString(), "brokermeter.home", directory.toString(),
            "brokermeter.built", built.toString(), "brokermeter.jvm", "-Xmx16m");
        try {
            launcher.forEach(System::setProperty);
            step.run();
        } finally {
            launcher.keySet().forEach(System::clearProperty);
        }
    }
}
