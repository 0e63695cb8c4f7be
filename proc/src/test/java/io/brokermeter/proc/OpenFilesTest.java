package io.brokermeter.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenFilesTest {

    @Test
    void theKernelSaysHowManyFilesAndPortsThereAre(@TempDir Path directory) throws Exception {
        Path limits = Files.writeString(directory.resolve("limits"), """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             95000                95000                processes
            Max open files            1024                 524288               files
            """);
        assertThat(OpenFiles.limit(limits)).isEqualTo(1024);
        Files.writeString(limits, "Max open files            unlimited            unlimited            files\n");
        assertThat(OpenFiles.limit(limits)).isEqualTo(Long.MAX_VALUE);
        Path range = Files.writeString(directory.resolve("range"), "32768\t60999\n");
        assertThat(OpenFiles.localPorts(range)).isEqualTo(28_232);
        Files.writeString(range, "many");
        assertThat(OpenFiles.localPorts(range)).isEqualTo(-1);
        assertThat(OpenFiles.limit(directory.resolve("none"))).isEqualTo(-1);
    }
}
