package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of throwaway brokers must be accessible only to their user. */
public class PrivateDataTest {

    private static final Set<PosixFilePermission> OTHERS = Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_EXECUTE);

    @ParameterizedTest
    @ValueSource(strings = {"mosquitto", "redis", "nats", "beanstalkd"})
    void nobodyElseMayReadIt(String name) throws Exception {
        // not below JUnit's own directory, which no other user can read anyway
        Path directory = Path.of(System.getProperty("java.io.tmpdir"), "private-" + UUID.randomUUID()).toAbsolutePath();
        BrokerOptions options = BrokerOptions.defaults().withDirectory(directory);
        // beanstalkd has no users
        try (Broker broker = Broker.start(BrokerName.parse(name),
            name.equals("beanstalkd") ? options : options.withLogin("someone", Secret.of("secret")))) {
            assertThat(broker.isAlive()).isTrue();
            assertPrivate(directory);
        }
        assertThat(directory).doesNotExist();
    }

    /** Asserts that only the owner can access a directory and its content. Called also by the tests of brokers that take longer to start. */
    public static void assertPrivate(Path directory) throws IOException {
        List<Path> all = tree(directory);
        assertThat(all).hasSizeGreaterThan(1);
        for (Path path : all) {
            assertThat(permissions(path)).as(path.toString()).doesNotContainAnyElementsOf(OTHERS);
        }
    }

    /** Returns all files, except those that are deleted meanwhile: a broker has short-lived files. */
    private static List<Path> tree(Path directory) throws IOException {
        List<Path> all = new ArrayList<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {

            @Override
            public FileVisitResult preVisitDirectory(Path below, BasicFileAttributes attributes) {
                all.add(below);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                all.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path below, @Nullable IOException e) throws IOException {
                // A directory that is deleted while it is read fails here.
                return e == null ? FileVisitResult.CONTINUE : visitFileFailed(below, e);
            }
        });
        return all;
    }

    private static Set<PosixFilePermission> permissions(Path path) throws IOException {
        try {
            return Files.isSymbolicLink(path) ? Set.of() : Files.getPosixFilePermissions(path);
        } catch (NoSuchFileException e) {
            return Set.of();
        }
    }
}
