package io.brokermeter.contract.ssh;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The privilege separation directory, without which an sshd that runs as root closes every connection. If the system has none, the first
 * process that needs it creates it, and the last one deletes it; each process keeps a file in it meanwhile. A directory created here is
 * not readable for other users, by which it is recognized. Thread-safe.
 */
final class SshdDirectory implements AutoCloseable {

    private static final Path PLACE = Path.of("/run/sshd");

    private final Path place;
    private final @Nullable Path file;

    private SshdDirectory(Path place, @Nullable Path file) {
        this.place = place;
        this.file = file;
    }

    static SshdDirectory open() throws IOException {
        return "root".equals(System.getProperty("user.name")) ? open(PLACE) : new SshdDirectory(PLACE, null);
    }

    static SshdDirectory open(Path place) throws IOException {
        while (true) {
            try {
                if (Files.getPosixFilePermissions(place).contains(PosixFilePermission.OTHERS_READ)) {
                    return new SshdDirectory(place, null); // a directory of the system
                }
                return new SshdDirectory(place, Files.createFile(place.resolve(UUID.randomUUID().toString())));
            } catch (NoSuchFileException e) {
                make(place);
            }
        }
    }

    private static void make(Path place) throws IOException {
        try {
            Files.createDirectory(place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
        } catch (FileAlreadyExistsException e) {
            // another process created it first
        }
    }

    @Override
    public void close() throws IOException {
        if (file == null) {
            return;
        }
        Files.delete(file);
        try {
            Files.delete(place);
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // other processes need it, or the last of them deleted it first
        }
    }
}
