package io.brokermeter.hosts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An action that runs as soon as this process is gone, however it ended: a small shell waits for the end of its standard input, which the
 * operating system closes. The target of the action cannot notice by itself that its owner is gone. {@link #close()} revokes the action.
 */
public final class ExitAction implements AutoCloseable {

    /**
     * Command that runs one of the scripts below in a session of its own, where no signal to the group of this process reaches
     * it. A line of standard input revokes the action.
     */
    private static final String SHELL = "trap '' HUP INT QUIT TERM PIPE; command -v setsid >/dev/null 2>&1 && exec setsid sh -c \"$@\"; "
        + "exec sh -c \"$@\"";
    private static final String CONTINUE = "read -r _ && exit 0; kill -CONT \"$1\" 2>/dev/null";
    private static final String KILL = "read -r _ && exit 0; kill -KILL \"-$1\" 2>/dev/null";
    /** Script that deletes a directory, repeatedly: the process that writes into it ends at the same time, and may still add a file. */
    private static final String DELETE = "read -r _ && exit 0; n=0; while [ -e \"$1\" ] && [ $n -lt 50 ]; do rm -rf -- \"$1\" 2>/dev/null; "
        + "n=$((n + 1)); sleep 0.1; done";

    private final Process shell;

    private ExitAction(String script, String argument) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, "brokermeter-will", script, "brokermeter-will", argument));
        shell = new ProcessBuilder(command).directory(Path.of("/").toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Creates an action that resumes a stopped process. */
    public static ExitAction resuming(long target) throws IOException {
        return new ExitAction(CONTINUE, Long.toString(target));
    }

    /** Creates an action that kills the process group of a session leader. */
    public static ExitAction killing(long leader) throws IOException {
        return new ExitAction(KILL, Long.toString(leader));
    }

    /** Creates an action that deletes a directory. */
    public static ExitAction deleting(Path directory) throws IOException {
        return new ExitAction(DELETE, directory.toAbsolutePath().toString());
    }

    /** Revokes the action. Idempotent. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().write('\n');
            shell.getOutputStream().close();
        } catch (IOException e) {
            // the shell is gone
        }
    }
}
