package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a run on an agent, in that for temporary files. Agent and worker have a shared lock on a file in it as long as they live, whatever ends
 * them; so a directory whose file can be locked for one alone belongs to nobody any more. Any thread.
 */
public final class RunPlace {

    private static final String PREFIX = "brokermeter-agent-";
    /** No name of a file that goes home, see {@link FileTransfer#isName}. */
    private static final String OWNER = ".owner";
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

    /** A new one, which belongs to this process. */
    static RunPlace create() throws IOException {
        Path path = Files.createTempDirectory(PREFIX).toAbsolutePath();
        OF_THIS_PROCESS.add(path);
        // Under its name it is locked from the beginning.
        Path beginning = PrivateFiles.file(path.resolve(OWNER + ".new"));
        FileChannel held = hold(beginning);
        Files.move(beginning, path.resolve(OWNER));
        return new RunPlace(path, held);
    }

    Path path() {
        return path;
    }

    /** Deletes it, also for the second time. */
    void delete() {
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

    /** Where locks cannot be had the directory is never known to be nobody's, and stays. */
    private static @Nullable FileChannel hold(Path file) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (channel.tryLock(0, Long.MAX_VALUE, true) != null) {
                HELD.add(channel);
                return channel;
            }
            channel.close();
        } catch (IOException | OverlappingFileLockException e) {
            // as without
        }
        return null;
    }

    /** Deletes the directories of this user's agents that were killed, as far as none of their workers lives. */
    static void clear() {
        try {
            Path probe = Files.createTempFile("brokermeter-user-", "");
            try (DirectoryStream<Path> all = Files.newDirectoryStream(probe.toAbsolutePath().getParent(), PREFIX + "*")) {
                for (Path one : all) {
                    // Nobody else may choose what is deleted.
                    if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS) && !OF_THIS_PROCESS.contains(one)
                        && Files.getOwner(one, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe))) {
                        clear(one);
                    }
                }
            } finally {
                Files.delete(probe);
            }
        } catch (IOException | RuntimeException e) {
            // what cannot be looked at stays
        }
    }

    private static void clear(Path directory) {
        try (FileChannel channel = FileChannel.open(directory.resolve(OWNER), StandardOpenOption.READ, StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS); @Nullable FileLock lock = channel.tryLock()) {
            if (lock != null) {
                DataDirectory.delete(directory);
            }
        } catch (IOException | OverlappingFileLockException e) {
            // it has none: made just now, or where there are no locks
        }
    }
}
