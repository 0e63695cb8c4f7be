package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

import org.jspecify.annotations.Nullable;

/**
 * Creates files and directories that nobody but their owner can read or change, where the file system supports
 * permissions: they contain names of hosts, users and destinations.
 */
public final class PrivateFiles {

    private static final int ROOT = 0;

    private PrivateFiles() {}

    /** Creates a directory and its missing parents; existing ones stay as they are. */
    public static Path directories(Path directory) throws IOException {
        return Files.createDirectories(directory, only(directory, "rwx------"));
    }

    /** Creates a directory, which must not exist. */
    public static Path directory(Path directory) throws IOException {
        return Files.createDirectory(directory, only(directory, "rwx------"));
    }

    /** Creates an empty file unless it exists. */
    public static Path file(Path file) throws IOException {
        try {
            return Files.createFile(file, only(file, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            return file;
        }
    }

    private static FileAttribute<?>[] only(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
            : new FileAttribute<?>[0];
    }

    /** Returns whether a path is a symbolic link of a third user, who could choose which of our files is overwritten. */
    static boolean isForeignLink(Path path) throws IOException {
        Integer own = Files.exists(Path.of("/proc/self")) ? user(Path.of("/proc/self").toRealPath()) : null;
        return own != null && isForeignLink(path, own);
    }

    /** Returns whether a path is a symbolic link of a user other than {@code own} and root. */
    static boolean isForeignLink(Path path, int own) throws IOException {
        if (!Files.isSymbolicLink(path)) {
            return false;
        }
        Integer owner = user(path);
        return owner != null && owner != own && owner != ROOT;
    }

    private static @Nullable Integer user(Path path) throws IOException {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix")
            ? (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS) : null;
    }
}
