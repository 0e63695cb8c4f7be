package io.brokermeter.trials.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.brokermeter.hosts.ExitAction;
import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * A command of a fault, run by the shell in a session of its own. It ends with this process, however this process ends; processes that the
 * command itself leaves running when it ends, such as a broker that it has started, stay. Methods may be called from any thread.
 */
final class CommandRun {

    /**
     * The longest time that killing a command takes, which a busy machine may delay for many seconds. Shorter than the 30 s that a run waits
     * for a command beyond its limit, and than the time that a worker has to end after a signal.
     */
    private static final Duration KILL_LIMIT = Duration.ofSeconds(20);
    private static final String SHELL =
        "command -v setsid >/dev/null 2>&1 && exec setsid sh -c \"$1\"; set -m; exec sh -c \"$1\"";

    private final Process process;
    private final long began = System.nanoTime();
    private final Duration limit;
    private final ExitAction will;
    private volatile boolean ended;

    /**
     * Starts a command.
     *
     * @param directory its working directory
     * @param output the file of its standard output and error, accessible to its owner alone; null to discard them
     * @param environment variables that are added to its environment, which has none of this program's own settings
     */
    CommandRun(String command, Path directory, @Nullable Path output, Map<String, String> environment, Duration limit) throws IOException {
        this.limit = limit;
        if (output != null) {
            PrivateFiles.file(output);
        }
        ProcessBuilder builder = new ProcessBuilder(List.of("sh", "-c", SHELL, "brokermeter-fault", command)).directory(directory.toFile())
            .redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(output.toFile()));
        ChildEnvironment.withoutOwnVariables(builder).environment().putAll(environment);
        process = builder.start();
        will = ExitAction.killing(process.pid());
    }

    long pid() {
        return process.pid();
    }

    /**
     * Waits for the end of the command.
     *
     * @return its exit status
     * @throws IOException when the command took too long, and was killed
     */
    int await() throws IOException, InterruptedException {
        try {
            if (!process.waitFor(limit.toNanos() - (System.nanoTime() - began), TimeUnit.NANOSECONDS)) {
                kill();
                throw new IOException("it did not end within " + limit.toMillis() / 1e3 + " s, and was ended.");
            }
            return process.exitValue();
        } finally {
            will.close();
        }
    }

    /**
     * Ends the command if it still runs. From now on nothing is done to its process group, whose number may be that of another group later.
     */
    void close() {
        kill();
        will.close();
    }

    /** Kills the command with everything that it has started. Idempotent. */
    void kill() {
        if (ended || !process.isAlive()) {
            return;
        }
        ended = true;
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        long deadline = System.nanoTime() + KILL_LIMIT.toNanos();
        try {
            killGroup(deadline);
            all.forEach(ProcessHandle::destroyForcibly);
            process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            all.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Kills the process group of the command: a process whose parent has ended is no descendant any more, but still in the group. When the
     * command leads no group, nothing is killed.
     */
    private void killGroup(long deadline) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -KILL \"-$1\" 2>/dev/null", "sh", Long.toString(pid())).start();
            if (!kill.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                kill.destroyForcibly();
            }
        } catch (IOException e) {
            // its descendants are killed in any case
        }
    }
}
