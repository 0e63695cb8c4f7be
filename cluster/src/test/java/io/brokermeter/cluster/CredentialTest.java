package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class CredentialTest {

    @TempDir
    Path directory;

    @Test
    void aKeyIsMadeForItsOwnerAndReadAgain() throws Exception {
        Path file = directory.resolve("cluster.p12");
        Credential made = Credential.create(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        Credential read = Credential.read(file);
        assertThat(read.certificate()).isEqualTo(made.certificate());
        assertThat(read.certificate().getPublicKey().getAlgorithm()).isEqualTo("EC");
        assertThat(read.certificate().getNotAfter().toInstant()).isAfter(Instant.now().plus(Duration.ofDays(30_000)));
        assertThat(read.context().getProtocol()).isEqualTo("TLSv1.3");
        assertThat(directory).isDirectoryContaining(file::equals);
    }

    @Test
    void noFileIsOverwritten() throws Exception {
        Path file = Files.writeString(directory.resolve("cluster.p12"), "mine");
        assertThatThrownBy(() -> Credential.create(file)).isInstanceOf(ClusterException.class)
            .hasMessage(file + " exists already, and a key is never overwritten");
        assertThat(file).hasContent("mine");
        Path nowhere = directory.resolve("no/cluster.p12");
        assertThatThrownBy(() -> Credential.create(nowhere)).isInstanceOf(ClusterException.class)
            .hasMessage("the directory of " + nowhere + " does not exist");
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        Path file = directory.resolve("key");
        assertWrong(file, "there is no file " + file);
        assertWrong(directory, directory + " is a directory, not a file with a key");
        Files.writeString(file, "no key store");
        assertWrong(file, "everybody on this machine may read or write " + file + ", which is a key: chmod 600 " + file, "rw-r--r--");
        assertThatThrownBy(() -> read(file, "rw-------")).isInstanceOf(ClusterException.class)
            .hasMessageStartingWith(file + " is no file with a key, or damaged: ");
        write(file, "brokermeter");
        assertWrong(file, file + " holds no key");
        write(file, "another");
        assertWrong(file, file + " has a password of its own and was not made by this tool");
    }

    private static void assertWrong(Path file, String sentence) {
        assertThatThrownBy(() -> Credential.read(file)).isInstanceOf(ClusterException.class).hasMessage(sentence);
    }

    private static void assertWrong(Path file, String sentence, String mode) {
        assertThatThrownBy(() -> read(file, mode)).isInstanceOf(ClusterException.class).hasMessage(sentence);
    }

    private static Credential read(Path file, String mode) throws IOException, ClusterException {
        assumeTrue(file.getFileSystem().supportedFileAttributeViews().contains("posix"), "no modes of files here");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return Credential.read(file);
    }

    private static void write(Path file, String password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, password.toCharArray());
        }
    }
}
