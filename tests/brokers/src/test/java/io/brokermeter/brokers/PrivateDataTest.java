package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.brokermeter.spi.Secret;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What throwaway brokers write is their user's alone. */
class PrivateDataTest {

    private static final Set<PosixFilePermission> OTHERS = Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_EXECUTE);

    @ParameterizedTest
    @ValueSource(strings = {"artemis", "mosquitto", "redis", "nats"})
    void nobodyElseMayReadIt(String name) throws Exception {
        // not below JUnit's own directory, into which no other user can look anyway
        Path directory = Path.of(System.getProperty("java.io.tmpdir"), "private-" + UUID.randomUUID()).toAbsolutePath();
        try (Broker broker = Broker.start(BrokerName.parse(name), BrokerOptions.defaults().withHeap("200m").withDirectory(directory)
            .withLogin("someone", Secret.of("secret")))) {
            assertThat(broker.isAlive()).isTrue();
            List<Path> all;
            try (Stream<Path> tree = Files.walk(directory)) {
                all = tree.toList();
            }
            assertThat(all).hasSizeGreaterThan(1);
            for (Path path : all) {
                assertThat(permissions(path)).as(path.toString()).doesNotContainAnyElementsOf(OTHERS);
            }
        }
        assertThat(directory).doesNotExist();
    }

    private static Set<PosixFilePermission> permissions(Path path) throws IOException {
        try {
            return Files.isSymbolicLink(path) ? Set.of() : Files.getPosixFilePermissions(path);
        } catch (NoSuchFileException e) {
            return Set.of();
        }
    }
}
