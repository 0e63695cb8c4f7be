package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * An empty file that exists as long as some coordinator has this agent in its cluster: a supervisor such as Kubernetes can test for it at
 * next to no cost. Thread-safe.
 */
public final class MemberFile implements AutoCloseable {

    private final @Nullable Path path;
    private boolean closed;

    private MemberFile(@Nullable Path path) {
        this.path = path;
    }

    /** Returns an object without a file. */
    public static MemberFile none() {
        return new MemberFile(null);
    }

    /**
     * Returns a file that does not exist yet. An empty one that exists was left by an agent that was killed, and is deleted.
     *
     * @throws IOException when the file cannot be created; a {@link FileAlreadyExistsException} when something else is in its place
     */
    public static MemberFile at(Path path) throws IOException {
        if (Files.exists(path) && !(Files.isRegularFile(path) && Files.size(path) == 0)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Files.delete(PrivateFiles.file(path));
        return new MemberFile(path);
    }

    /** Creates or deletes the file. After {@link #close} it is never created. */
    synchronized void set(boolean member) {
        if (path == null) {
            return;
        }
        try {
            if (member && !closed) {
                PrivateFiles.file(path);
            } else {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // a supervisor sees that the file does not exist, and a run needs none
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        set(false);
    }
}
