package io.brokermeter.hosts;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/** The broker's directory, which is deleted at the end when the broker created it, and kept when it was there before. */
public final class DataDirectory {

    private static final int ATTEMPTS = 20;

    private final Path path;
    private final boolean created;

    private DataDirectory(Path path, boolean created) {
        this.path = path;
        this.created = created;
    }

    /**
     * Opens the directory, and creates it when it is missing.
     *
     * @param keep whether it stays at the end even when this call created it
     */
    public static DataDirectory open(Path path, boolean keep) throws IOException {
        boolean missing = Files.notExists(path);
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new IOException("Directory " + path + " cannot be created (" + e + ").", e);
        }
        if (!Files.isWritable(path)) {
            throw new IOException("Directory " + path + " cannot be written to.");
        }
        return new DataDirectory(path, missing && !keep);
    }

    public Path path() {
        return path;
    }

    public Path resolve(String name) {
        return path.resolve(name);
    }

    /** Whether nothing of the directory outlives the process, so that a clean stop of the broker is not needed. */
    public boolean isThrowaway() {
        return created;
    }

    /** Deletes the directory when this process created it, even while threads of the broker still write into it. */
    public void deleteIfCreated() {
        if (created) {
            delete(path);
        }
    }

    /** Deletes a directory, even while somebody still writes into it, and says nothing when it is gone already. */
    static void delete(Path path) {
        for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
            try {
                Files.walkFileTree(path, new Deletion());
            } catch (IOException e) {
                // a file appeared meanwhile: the next attempt takes it along
            }
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException cause) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException cause) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
