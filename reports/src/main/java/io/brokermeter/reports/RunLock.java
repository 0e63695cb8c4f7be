package io.brokermeter.reports;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * Says that a process still writes to a directory: a lock on one of its files, which the system takes back when the process ends, however that
 * happens. A file system without locks has none, and then nothing is known to go on.
 */
public final class RunLock implements AutoCloseable {

    private final @Nullable FileChannel channel;

    private RunLock(@Nullable FileChannel channel) {
        this.channel = channel;
    }

    /** Locks a file that is there, until this is closed or the process ends. */
    static RunLock take(Path file) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return new RunLock(channel);
            }
        } catch (IOException | OverlappingFileLockException e) {
            // as on a file system without locks
        }
        close(channel);
        return new RunLock(null);
    }

    /** Whether a process, this one included, holds the lock on a file. */
    public static boolean isHeld(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
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
        close(channel);
    }

    private static void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // the lock goes with the process at the latest
        }
    }
}
