package io.brokermeter.trials.agents;

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
 * A directory in that for temporary files: of a run on an agent, or of what a command keeps no files of. Its process, and an agent's worker, have a
 * shared lock on a file in it as long as they live, whatever ends them; so a directory whose file can be locked for one alone belongs to nobody any
 * more. Any thread.
 */
public final class RunPlace {

    private static final String AGENT = "brokermeter-agent-";
    private static final String ALL = "brokermeter-{agent,agents,sweep}-*";
    /** No name of a file that goes home, see {@link FileTransfer#isName}. */
    private static final String OWNER = ".owner";
    /** The same before it is locked. */
    private static final String BEGINNING = OWNER + ".new";
    /** From the directory to its locked file, which takes no time, and a process may be stopped in between. */
    private static final Duration BEGINS_WITHIN = Duration.ofMinutes(1);
    /** The system gives up all locks of a process on a file when any of its descriptors of it is closed. */
    private static final Set<Path> OF_THIS_PROCESS = ConcurrentHashMap.newKeySet();

    /** What nobody refers to is closed with the garbage. */
    private static final Set<FileChannel> HELD = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final @Nullable FileChannel held;

    private RunPlace(Path path, @Nullable FileChannel held) {
        this.path = path;
        this.held = held;
    }

    /** A new one of an agent, which belongs to this process. */
    static RunPlace create() throws IOException {
        return create(AGENT);
    }

    /** A new one for files of a sweep that are not kept. Deletes what others left behind that were killed. */
    public static RunPlace ofSweep() throws IOException {
        clear();
        return create("brokermeter-sweep-");
    }

    /** The same for files of agents. */
    public static RunPlace ofCoordinator() throws IOException {
        clear();
        return create("brokermeter-agents-");
    }

    private static RunPlace create(String prefix) throws IOException {
        while (true) {
            Path path = Files.createTempDirectory(prefix).toAbsolutePath();
            OF_THIS_PROCESS.add(path);
            try {
                RunPlace place = owned(path);
                if (place != null) {
                    return place;
                }
            } catch (NoSuchFileException e) {
                // Somebody took it for what was left behind, which it may look like until it has its lock: another one.
            }
            OF_THIS_PROCESS.remove(path);
        }
    }

    /** Null when another process is about to delete it. */
    private static @Nullable RunPlace owned(Path path) throws IOException {
        // Under its name it is locked from the beginning.
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
            // Where locks cannot be had the directory is never known to be nobody's, and stays.
        }
        Files.move(beginning, path.resolve(OWNER));
        return new RunPlace(path, held);
    }

    public Path path() {
        return path;
    }

    /** Deletes it, also for the second time. */
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

    /** Lets a directory belong to this process, too, until it ends. */
    public static void share(Path directory) {
        OF_THIS_PROCESS.add(directory);
        hold(directory.resolve(OWNER));
    }

    private static void hold(Path file) {
        try {
            @Nullable FileChannel unused = locked(file);
        } catch (IOException | OverlappingFileLockException e) {
            // Where locks cannot be had the directory is never known to be nobody's, and stays.
        }
    }

    /** A channel with a shared lock on a file, until it is closed; null while another process has the file for itself. */
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

    /** Deletes the directories of this user's processes that were killed, as far as no worker lives that has one, too. */
    static void clear() {
        try {
            Path probe = Files.createTempFile("brokermeter-user-", "").toAbsolutePath();
            try {
                clear(Objects.requireNonNull(probe.getParent()), probe);
            } finally {
                Files.delete(probe);
            }
        } catch (IOException | RuntimeException e) {
            // what cannot be looked at stays
        }
    }

    /** @param probe a file of this user */
    static void clear(Path parent, Path probe) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, ALL)) {
            for (Path one : all) {
                // Nobody else may choose what is deleted.
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
                // Its process was killed before that file was there. Should it be at it after all, it makes another one.
                if (Files.exists(directory.resolve(BEGINNING), LinkOption.NOFOLLOW_LINKS)) {
                    deleteUnlocked(directory, BEGINNING);
                } else {
                    // That is refused for one that is not empty.
                    Files.delete(directory);
                }
            }
        } catch (IOException | OverlappingFileLockException e) {
            // it stays: there are no locks, or it is none of an agent
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
