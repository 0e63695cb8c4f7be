package io.brokermeter.reports.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * Marks a directory as in use by a process: a lock on one of its files, which the system releases when the process ends, however it ends.
 * A file system without locks has none, and then no run is known to be in progress.
 */
public final class RunLock implements AutoCloseable {

    /**
     * Files that this process has locked. It must not open them a second time: closing any of its channels to a file releases its locks
     * on it.
     */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final @Nullable FileChannel channel;

    private RunLock(Path file, @Nullable FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Locks an existing file, until the returned lock is closed or the process ends. */
    static RunLock take(Path file) {
        Path own = key(file);
        try {
            return new RunLock(own, locked(own));
        } catch (IOException | OverlappingFileLockException e) {
            return new RunLock(own, null); // as on a file system without locks
        }
    }

    /**
     * Locks a file for this process, until the lock is closed or the process ends, and writes the id of the process into it.
     *
     * @return empty while another process, or another part of this one, holds the lock
     * @throws IOException if the file cannot be created or written
     */
    public static Optional<RunLock> exclusive(Path file) throws IOException {
        Path own = key(PrivateFiles.file(file));
        FileChannel channel = locked(own);
        if (channel == null) {
            return Optional.empty();
        }
        RunLock lock = new RunLock(own, channel);
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
            return Optional.of(lock);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    /** Returns a channel to a file that holds its lock; null while another process, or another part of this one, holds it. */
    private static @Nullable FileChannel locked(Path own) throws IOException {
        if (!OWN.add(own)) {
            return null;
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(own, StandardOpenOption.WRITE);
            taken = channel.tryLock() != null;
            return taken ? channel : null;
        } finally {
            if (!taken) {
                OWN.remove(own);
                close(channel);
            }
        }
    }

    /** Returns the id of the process that {@link #exclusive} wrote into a file, as text; empty if it cannot be read. */
    public static String owner(Path file) {
        try {
            return OWN.contains(key(file)) ? Long.toString(ProcessHandle.current().pid()) : Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns a path that is the same for all names of a file. */
    private static Path key(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file.toAbsolutePath().normalize();
        }
    }

    /** Returns whether a process, this one included, holds the lock on a file. */
    public static boolean isHeld(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        if (OWN.contains(key(file))) {
            return true;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ); @Nullable FileLock lock =
            channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            close(channel);
            OWN.remove(file);
        }
    }

    private static void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // the lock is released with the end of the process at the latest
        }
    }
}
