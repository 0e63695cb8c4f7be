package io.brokermeter.brokers.process;

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
 * A class data sharing archive for the JVMs of brokers with the same program and jars; tests start hundreds of them. A JVM that finds no
 * archive writes one on its orderly end, into a file of its own. That file becomes the archive if its broker had started, since a broker
 * that was refused has loaded few classes, and by an atomic rename, so that no other process sees a partial archive. Thread-safe.
 */
final class ClassArchive {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    /** Archives that a broker of this JVM is writing at its end, which takes seconds. */
    private static final Set<Path> UNDER_WAY = ConcurrentHashMap.newKeySet();

    private final Path archive;
    /** The prefix of the names of all archives of the same program and paths. */
    private final String prefix;
    private final boolean reads;
    /** The file to which the JVM writes an archive; null where there was an archive when it began, or where it writes none. */
    private final @Nullable Path partial;
    private boolean mine;

    private ClassArchive(Path archive, String prefix, boolean reads, @Nullable Path partial) {
        this.archive = archive;
        this.prefix = prefix;
        this.reads = reads;
        this.partial = partial;
    }

    /**
     * Returns the archive for one start of a JVM.
     *
     * @param directory directory of all archives, which is created if it is missing
     * @param process name of the program, with its part where the processes of a program load different classes
     * @param all whether the JVM loads all classes that others load, so that its archive serves them as well
     */
    static ClassArchive of(Path directory, String process, List<Path> classPath, boolean all) throws IOException {
        StringBuilder state = new StringBuilder();
        for (Path jar : classPath) {
            File file = jar.toFile();
            state.append(file.lastModified()).append(' ').append(file.length()).append('\n');
        }
        // The JVM silently ignores an archive of other jars, so each state of the jars has an archive of its own.
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

    /** Creates a file, and returns whether it did not exist before. */
    private static boolean create(Path file) throws IOException {
        try {
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Returns the options of the JVM. They disable its messages about archives, which are not lines of the broker. */
    List<String> options() {
        if (reads) {
            return List.of("-Xlog:disable", "-XX:SharedArchiveFile=" + archive);
        }
        // A JVM that resolves a lambda while it writes the archive may crash, and would report that in the user's working directory.
        return partial == null ? List.of()
            : List.of("-Xlog:disable", "-XX:ErrorFile=" + partial + ".error", "-XX:ArchiveClassesAtExit=" + partial);
    }

    /**
     * Returns whether the JVM should end in an orderly way so that it writes an archive; the caller must call {@link #ended} then. A
     * version that was started only once is not worth an archive.
     */
    synchronized boolean isWanted() {
        mine = mine || partial != null && Files.exists(beside(archive, ".again")) && !Files.exists(archive) && UNDER_WAY.add(archive);
        return mine;
    }

    /**
     * Completes or discards the archive after the end of the JVM.
     *
     * @param whole whether its broker had started and the JVM ended in an orderly way
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
            // the next JVM loads its classes without an archive, as this one did
        } finally {
            if (mine) {
                mine = false;
                UNDER_WAY.remove(archive);
            }
        }
    }

    /** Deletes the archives of former states of the jars, which are never used again. */
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
