package io.brokermeter.trials;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * A temporary directory: of a run on an agent, or for files that a command does not keep. Its process, and an agent's worker, hold a shared
 * lock on a file in it as long as they live, and lose it however they end; so a directory whose file can be locked exclusively belongs to
 * no process any more. Thread-safe.
 */
public final class TemporaryDirectory {

    private static final String AGENT = "brokermeter-agent-";
    private static final String ALL = "brokermeter-{agent,agents,sweep}-*";
    /** The locked file, whose name is not that of a file that is sent to the coordinator, see {@code FileTransfer.isName}. */
    private static final String OWNER = ".owner";
    /** The same file before it is locked. */
    private static final String BEGINNING = OWNER + ".new";
    /**
     * The time from the creation of the directory to that of its locked file, which is short unless the process is suspended in between.
     */
    private static final Duration BEGINS_WITHIN = Duration.ofMinutes(1);
    /**
     * The directories of this process, which are not probed: the system releases all locks of a process on a file when any of its
     * descriptors of the file is closed.
     */
    private static final Set<Path> OF_THIS_PROCESS = ConcurrentHashMap.newKeySet();

    /** The channels with the locks of this process: a channel without a reference would be closed by the garbage collector. */
    private static final Set<FileChannel> HELD = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final @Nullable FileChannel held;

    private TemporaryDirectory(Path path, @Nullable FileChannel held) {
        this.path = path;
        this.held = held;
    }

    /** Creates a directory of an agent, which belongs to this process. */
    public static TemporaryDirectory create() throws IOException {
        return create(AGENT);
    }

    /** Creates a directory for files of a sweep that are not kept. Deletes what killed processes left behind. */
    public static TemporaryDirectory ofSweep() throws IOException {
        clear();
        return create("brokermeter-sweep-");
    }

    /** Creates a directory for files of agents that are not kept. Deletes what killed processes left behind. */
    public static TemporaryDirectory ofCoordinator() throws IOException {
        clear();
        return create("brokermeter-agents-");
    }

    private static TemporaryDirectory create(String prefix) throws IOException {
        while (true) {
            Path path = Files.createTempDirectory(prefix).toAbsolutePath();
            OF_THIS_PROCESS.add(path);
            try {
                TemporaryDirectory place = owned(path);
                if (place != null) {
                    return place;
                }
            } catch (NoSuchFileException e) {
                // Another process took the directory for one that was left behind, as it may seem until it has its lock: try another one.
            }
            OF_THIS_PROCESS.remove(path);
        }
    }

    /** Returns the place of a new directory after locking it; null when another process is about to delete the directory. */
    private static @Nullable TemporaryDirectory owned(Path path) throws IOException {
        // Under its final name the file is locked from the beginning.
        Path beginning = PrivateFiles.file(path.resolve(BEGINNING));
        FileChannel held = null;
        try {
            held = locked(beginning);
            if (held == null) {
                return null;
            }
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | OverlappingFileLockException e) {
            // Without locks the directory is never known to be left behind, and stays.
        }
        Files.move(beginning, path.resolve(OWNER));
        return new TemporaryDirectory(path, held);
    }

    public Path path() {
        return path;
    }

    /** Deletes the directory. May be called more than once. */
    public void delete() {
        DataDirectory.delete(path);
        OF_THIS_PROCESS.remove(path);
        try {
            if (held != null) {
                HELD.remove(held);
                held.close();
            }
        } catch (IOException e) {
            // the file is gone
        }
    }

    /** Makes a directory belong to this process, too, until it ends. */
    public static void share(Path directory) {
        OF_THIS_PROCESS.add(directory);
        hold(directory.resolve(OWNER));
    }

    private static void hold(Path file) {
        try {
            @Nullable FileChannel unused = locked(file);
        } catch (IOException | OverlappingFileLockException e) {
            // Without locks the directory is never known to be left behind, and stays.
        }
    }

    /** Returns a channel that holds a shared lock on a file until it is closed; null while another process has an exclusive lock. */
    private static @Nullable FileChannel locked(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            held = channel.tryLock(0, Long.MAX_VALUE, true) != null;
            if (held) {
                HELD.add(channel);
            }
            return held ? channel : null;
        } finally {
            if (!held) {
                channel.close();
            }
        }
    }

    /** Deletes the directories of killed processes of this user, unless a living worker has the directory, too. */
    public static void clear() {
        try {
            Path probe = Files.createTempFile("brokermeter-user-", "").toAbsolutePath();
            try {
                clear(Objects.requireNonNull(probe.getParent()), probe);
            } finally {
                Files.delete(probe);
            }
        } catch (IOException | RuntimeException e) {
            // what cannot be examined stays
        }
    }

    /** @param probe a file of this user */
    static void clear(Path parent, Path probe) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, ALL)) {
            for (Path one : all) {
                // Nobody else may determine what is deleted.
                if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS) && !OF_THIS_PROCESS.contains(one)
                    && Files.getOwner(one, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe))) {
                    clear(one);
                }
            }
        }
    }

    private static void clear(Path directory) {
        try {
            if (Files.exists(directory.resolve(OWNER), LinkOption.NOFOLLOW_LINKS)) {
                deleteUnlocked(directory, OWNER);
            } else if (Files.getLastModifiedTime(directory).toInstant().isBefore(Instant.now().minus(BEGINS_WITHIN))) {
                // Its process was killed before that file existed. If it lives after all, it creates another directory.
                if (Files.exists(directory.resolve(BEGINNING), LinkOption.NOFOLLOW_LINKS)) {
                    deleteUnlocked(directory, BEGINNING);
                } else {
                    // This fails for a directory that is not empty.
                    Files.delete(directory);
                }
            }
        } catch (IOException | OverlappingFileLockException e) {
            // it stays: there are no locks, or it is no directory of this program
        }
    }

    private static void deleteUnlocked(Path directory, String owner) throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(owner), StandardOpenOption.READ, StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS); @Nullable FileLock lock = channel.tryLock()) {
            if (lock != null) {
                DataDirectory.delete(directory);
            }
        }
    }
}
