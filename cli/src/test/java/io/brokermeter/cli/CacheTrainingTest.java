package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
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
}
