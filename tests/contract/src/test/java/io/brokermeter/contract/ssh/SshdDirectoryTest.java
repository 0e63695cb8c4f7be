package io.brokermeter.contract.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SshdDirectoryTest {

    @TempDir
    Path directory;

    /** Guards against a process that deletes the directory that it created while others need it, which closes their connections. */
    @Test
    void itIsThereAsLongAsSomebodyNeedsIt() throws Exception {
        Path place = directory.resolve("sshd");
        try (var many = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(many.submit(() -> {
                    for (int round = 0; round < 300; round++) {
                        try (var _ = SshdDirectory.open(place)) {
                            assertThat(place).isDirectory();
                            Thread.yield();
                            assertThat(place).isDirectory();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void thatOfTheSystemStays() throws Exception {
        Path place = Files.createDirectory(directory.resolve("sshd"));
        SshdDirectory.open(place).close();
        assertThat(place).isDirectory();
    }
}
