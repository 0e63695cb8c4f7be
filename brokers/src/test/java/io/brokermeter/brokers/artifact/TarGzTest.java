package io.brokermeter.brokers.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives are created by the command tar. */
@Tag("slow")
class TarGzTest {

    private static final String LONG = "a-name-of-more-than-a-hundred-characters-".repeat(5) + ".jar";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"gnu", "pax", "ustar"})
    void unpacksWhatIsBelowTheFirstDirectory(String format) throws Exception {
        String last = format.equals("ustar") ? "short.jar" : LONG;
        byte[] content = new byte[100_000];
        new Random(1).nextBytes(content);
        Path lib = Files.createDirectories(directory.resolve("product-1.0/lib/".concat("deep-".repeat(15))));
        Files.write(lib.resolve(last), content);
        Files.writeString(directory.resolve("product-1.0/empty"), "");
        Path target = Files.createDirectory(directory.resolve("target"));

        TarGz.unpack(tar(format), target);

        assertThat(target.resolve("lib/" + "deep-".repeat(15)).resolve(last)).hasBinaryContent(content);
        assertThat(target.resolve("empty")).isEmptyFile();
    }

    @Test
    void namesTheDamageOfAnArchive() throws Exception {
        Files.createDirectories(directory.resolve("product-1.0"));
        Path archive = tar("gnu");
        byte[] plain;
        try (InputStream input = new GZIPInputStream(Files.newInputStream(archive))) {
            plain = input.readAllBytes();
        }
        plain[3] ^= 1;
        try (OutputStream output = new GZIPOutputStream(Files.newOutputStream(archive))) {
            output.write(plain);
        }
        assertThatThrownBy(() -> TarGz.unpack(archive, directory)).isInstanceOf(IOException.class)
            .hasMessageContaining("wrong checksum");
    }

    @Test
    void writesNothingOutsideOfItsDirectory() throws Exception {
        Files.createDirectories(directory.resolve("product-1.0"));
        Files.writeString(directory.resolve("product-1.0/file"), "text");
        Path archive = tar("gnu", "--transform", "s,product-1.0/file,product-1.0/../../outside,");
        Path target = Files.createDirectories(directory.resolve("one/two"));
        assertThatThrownBy(() -> TarGz.unpack(archive, target)).isInstanceOf(IOException.class).hasMessageContaining("outside");
        assertThat(directory.resolve("outside")).doesNotExist();
    }

    private Path tar(String format, String... more) throws Exception {
        Path archive = directory.resolve("archive.tar.gz");
        List<String> command = new ArrayList<>(List.of("tar", "-czf", archive.toString(), "--format=" + format));
        command.addAll(List.of(more));
        command.addAll(List.of("-C", directory.toString(), "product-1.0"));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
        return archive;
    }
}
