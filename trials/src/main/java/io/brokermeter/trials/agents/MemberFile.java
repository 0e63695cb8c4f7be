package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * An empty file that is there as long as some coordinator has this agent in its cluster: whoever looks after the process, as Kubernetes does, can test
 * for it at next to no cost. Any thread.
 */
public final class MemberFile implements AutoCloseable {

    private final @Nullable Path path;
    private boolean closed;

    private MemberFile(@Nullable Path path) {
        this.path = path;
    }

    /** No file. */
    public static MemberFile none() {
        return new MemberFile(null);
    }

    /**
     * One that is not there yet. An empty one that is there was left by an agent that was killed, and is deleted.
     *
     * @throws IOException when it cannot be made; a {@link FileAlreadyExistsException} when something else is there
     */
    public static MemberFile at(Path path) throws IOException {
        if (Files.exists(path) && !(Files.isRegularFile(path) && Files.size(path) == 0)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Files.delete(PrivateFiles.file(path));
        return new MemberFile(path);
    }

    /** Whether it is to be there. That of a closed one never is. */
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
            // whoever tests for it sees that it is not there, and a run needs none
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        set(false);
    }
}
