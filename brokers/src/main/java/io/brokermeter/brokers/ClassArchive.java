package io.brokermeter.brokers;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The classes that the JVM of one broker loaded, for the next JVMs of the same program and jars: tests start hundreds. A JVM that finds none
 * writes one at its orderly end, into a file of its own. That becomes the archive when its broker had started, since one that was refused has
 * hardly any classes, and by a change of its name, so that nobody sees half of one. Thread-safe.
 */
final class ClassArchive {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    /** Those that a broker of this process writes at its end, which takes seconds. */
    private static final Set<Path> UNDER_WAY = ConcurrentHashMap.newKeySet();

    private final Path archive;
    /** What the names of all archives of the same program and paths begin with. */
    private final String prefix;
    private final boolean reads;
    /** Where its JVM writes one; none where there was an archive when it began, or it writes none. */
    private final @Nullable Path partial;
    private boolean mine;

    private ClassArchive(Path archive, String prefix, boolean reads, @Nullable Path partial) {
        this.archive = archive;
        this.prefix = prefix;
        this.reads = reads;
        this.partial = partial;
    }

    /**
     * The archive for one start of a JVM.
     *
     * @param directory of all archives, which is made when it is missing
     * @param process names the program and what of it this is, where its processes load different classes
     * @param all whether it loads all that others do, so that its archive is theirs
     */
    static ClassArchive of(Path directory, String process, List<Path> classPath, boolean all) throws IOException {
        StringBuilder state = new StringBuilder();
        for (Path jar : classPath) {
            File file = jar.toFile();
            state.append(file.lastModified()).append(' ').append(file.length()).append('\n');
        }
        // The JVM passes over one of other jars in silence: each state of them has its own.
        String prefix = process + "-" + Integer.toHexString(classPath.hashCode()) + "-";
        Path archive = Files.createDirectories(directory).resolve(prefix + Integer.toHexString(state.toString().hashCode()) + ".jsa");
        boolean reads = Files.exists(archive);
        if (reads || !all) {
            return new ClassArchive(archive, prefix, reads, null);
        }
        if (!create(beside(archive, ".once"))) {
            create(beside(archive, ".again"));
        }
        return new ClassArchive(archive, prefix, false,
            archive.resolveSibling("part-" + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet() + ".jsa"));
    }

    private static Path beside(Path archive, String suffix) {
        return archive.resolveSibling(archive.getFileName() + suffix);
    }

    /** @return whether it was not there */
    private static boolean create(Path file) throws IOException {
        try {
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** What its JVM is told. What that says about an archive is no line of a broker. */
    List<String> options() {
        if (reads) {
            return List.of("-Xlog:disable", "-XX:SharedArchiveFile=" + archive);
        }
        // A JVM that looks for a lambda while it writes may crash, and would report that into the working directory of the user.
        return partial == null ? List.of()
            : List.of("-Xlog:disable", "-XX:ErrorFile=" + partial + ".error", "-XX:ArchiveClassesAtExit=" + partial);
    }

    /**
     * Whether the JVM shall end in an orderly way so that there is an archive: {@link #ended} comes next then. A version that was started once
     * is not worth it.
     */
    synchronized boolean isWanted() {
        mine = mine || partial != null && Files.exists(beside(archive, ".again")) && !Files.exists(archive) && UNDER_WAY.add(archive);
        return mine;
    }

    /**
     * The JVM has ended.
     *
     * @param whole whether its broker had started, and it ended in an orderly way
     */
    synchronized void ended(boolean whole) {
        if (partial == null) {
            return;
        }
        try {
            if (whole && Files.exists(partial) && !Files.exists(archive)) {
                Files.move(partial, archive, StandardCopyOption.ATOMIC_MOVE);
                deleteOthers();
            }
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            // the next JVM loads its classes by itself, as this one did
        } finally {
            if (mine) {
                mine = false;
                UNDER_WAY.remove(archive);
            }
        }
    }

    /** Those of former states of the jars, which nobody starts any more. */
    private void deleteOthers() throws IOException {
        try (DirectoryStream<Path> others = Files.newDirectoryStream(archive.getParent(), prefix + "*.jsa*")) {
            for (Path other : others) {
                if (!other.equals(archive)) {
                    Files.deleteIfExists(other);
                }
            }
        }
    }
}
