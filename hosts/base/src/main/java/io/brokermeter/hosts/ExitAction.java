package io.brokermeter.hosts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Something that is done as soon as this process is gone, however it went: a small shell waits for the end of its standard input, which the
 * operating system brings. What is stopped cannot notice by itself that its owner is gone. {@link #close()} revokes it.
 */
public final class ExitAction implements AutoCloseable {

    /** In a session of its own, where no signal to the group of this process reaches it. A line of standard input revokes it. */
    private static final String SHELL = "trap '' HUP INT QUIT TERM PIPE; command -v setsid >/dev/null 2>&1 && exec setsid sh -c \"$@\"; "
        + "exec sh -c \"$@\"";
    private static final String CONTINUE = "read -r _ && exit 0; kill -CONT \"$1\" 2>/dev/null";
    private static final String KILL = "read -r _ && exit 0; kill -KILL \"-$1\" 2>/dev/null";
    /** Who writes into the directory ends at the same time, and may add a file to what was just deleted. */
    private static final String DELETE = "read -r _ && exit 0; n=0; while [ -e \"$1\" ] && [ $n -lt 50 ]; do rm -rf -- \"$1\" 2>/dev/null; "
        + "n=$((n + 1)); sleep 0.1; done";

    private final Process shell;

    private ExitAction(String script, String argument) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, "brokermeter-will", script, "brokermeter-will", argument));
        shell = new ProcessBuilder(command).directory(Path.of("/").toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Lets a stopped process go on. */
    public static ExitAction resuming(long target) throws IOException {
        return new ExitAction(CONTINUE, Long.toString(target));
    }

    /** Kills the session that a process leads. */
    public static ExitAction killing(long leader) throws IOException {
        return new ExitAction(KILL, Long.toString(leader));
    }

    /** Deletes a directory. */
    public static ExitAction deleting(Path directory) throws IOException {
        return new ExitAction(DELETE, directory.toAbsolutePath().toString());
    }

    /** Revokes it. Idempotent. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().write('\n');
            shell.getOutputStream().close();
        } catch (IOException e) {
            // it is gone
        }
    }
}
