package io.brokermeter.hosts;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The broker's directory, which is deleted at the end if the broker created it, and kept if it existed before. */
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
     * @param keep whether the directory stays at the end even when this call created it
     * @param adopt whether the directory counts as created by this call in any case
     */
    public static DataDirectory open(Path path, boolean keep, boolean adopt) throws IOException {
        boolean missing = adopt || Files.notExists(path);
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

    /** Returns whether nothing of the directory outlives the process, so that a clean stop of the broker is not needed. */
    public boolean isThrowaway() {
        return created;
    }

    /** Deletes the directory when this process created it, even while threads of the broker still write into it. */
    public void deleteIfCreated() {
        if (created) {
            delete(path);
        }
    }

    /** Deletes what can be deleted, even while others still write into the directory; no error when it is gone already. */
    public static void delete(Path path) {
        for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
            try (Stream<Path> all = Files.walk(path)) {
                all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            } catch (IOException | UncheckedIOException e) {
                // a file vanished meanwhile: the next attempt deletes the rest
            }
        }
    }
}
