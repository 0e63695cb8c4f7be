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
 * Files and directories that nobody but their owner can read or change, where the file system knows permissions: names of
 * hosts, users and destinations stand in them.
 */
public final class PrivateFiles {

    private static final int ROOT = 0;

    private PrivateFiles() {}

    /** Creates a directory and what is missing above it; what is there stays as it is. */
    public static Path directories(Path directory) throws IOException {
        return Files.createDirectories(directory, only(directory, "rwx------"));
    }

    /** Creates a directory that must not be there. */
    public static Path directory(Path directory) throws IOException {
        return Files.createDirectory(directory, only(directory, "rwx------"));
    }

    /** Creates an empty file unless it is there. */
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

    /** Whether a path is a symbolic link that a third user made, who would choose which file of ours is overwritten. */
    static boolean isForeignLink(Path path) throws IOException {
        Integer own = Files.exists(Path.of("/proc/self")) ? user(Path.of("/proc/self").toRealPath()) : null;
        return own != null && isForeignLink(path, own);
    }

    /** The same for the user of that number. */
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
