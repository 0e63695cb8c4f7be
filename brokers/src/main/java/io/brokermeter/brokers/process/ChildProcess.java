package io.brokermeter.brokers.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;

/** A process of a broker that this JVM started, with its directory. */
public abstract class ChildProcess implements BrokerNode, AutoCloseable {

    static final int LOG_LINES = 20;
    /** The longest wait for the end of a process that was killed; a busy machine may take many seconds for that. */
    static final Duration KILL_LIMIT = Duration.ofSeconds(60);
    /** The longest wait for the command that sends a signal, in seconds; a busy machine may need half a minute to start and run it. */
    private static final long SIGNAL_SECONDS = 60;

    private final BrokerName name;
    private final String role;
    private final Path directory;
    private final StoppedProcess frozen = new StoppedProcess();

    /**
     * Creates a process that is not started yet.
     *
     * @param name name of the broker, for messages
     * @param role role in the topology
     */
    ChildProcess(BrokerName name, String role, Path directory) {
        this.name = name;
        this.role = role;
        this.directory = directory;
    }

    /** Returns the name of the broker, for messages. */
    final BrokerName name() {
        return name;
    }

    @Override
    public final String role() {
        return role;
    }

    /** Returns the target of signals: the id of the process, or the negative id of its group. */
    abstract long target();

    @Override
    public final List<String> lastLogLines() {
        List<String> lines = log().filter(line -> !line.isBlank()).toList();
        return List.copyOf(lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }

    /** Returns all lines of the log; an empty stream when there is no log. */
    final Stream<String> log() {
        try {
            // A program may write bytes that are not valid UTF-8.
            return new String(Files.readAllBytes(directory.resolve("broker.log")), StandardCharsets.UTF_8).lines();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** Reads the output of a process to its end on a daemon thread, so that the process never blocks on a full pipe. */
    static void read(Process process, Consumer<String> line, Runnable end) {
        Thread.ofPlatform().name("broker-output").daemon().start(() -> {
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                lines.lines().forEach(line);
            } catch (IOException | UncheckedIOException e) {
                // closing the process closes the stream
            }
            end.run();
        });
    }

    /** Returns the last lines of the process, formatted to follow an error message. */
    static String said(List<String> lines) {
        return lines.isEmpty() ? "" : System.lineSeparator() + "Its last lines:" + System.lineSeparator() + "  "
            + String.join(System.lineSeparator() + "  ", lines);
    }

    @Override
    public final void freeze() {
        frozen.begin(target(), pid());
    }

    @Override
    public final void resume() {
        if (isAlive()) {
            frozen.end(this::target);
        } else {
            frozen.forget();
        }
    }

    /**
     * Checks that the process may be started again.
     *
     * @param closed whether it was closed
     * @throws BrokerException when the process was closed or is alive
     */
    final void requireGone(boolean closed) throws BrokerException {
        if (closed) {
            throw new BrokerException("Broker " + name + " is not started again, since it was closed.");
        }
        if (isAlive()) {
            throw new BrokerException("The process " + pid() + " of broker " + name + " runs, so it is not started again.");
        }
    }

    /**
     * Returns the exception for a process that did not start again. A throwaway directory is moved beside that of the broker and kept,
     * since it holds all that is left of the process; other processes of a topology continue in theirs.
     *
     * @param failure the reason for which the process did not start again
     * @param throwaway whether the directory would be deleted with the process
     * @param common common directory of all processes of the broker, which is deleted with them
     */
    final BrokerException notAgain(BrokerException failure, boolean throwaway, Path common) {
        // A caller that was interrupted has given the process up and needs none of its files.
        if (Thread.currentThread().isInterrupted() || Files.notExists(directory)) {
            return failure;
        }
        Path kept = directory;
        if (throwaway) {
            kept = common.resolveSibling(common.getFileName() + (common.equals(directory) ? "" : "-" + directory.getFileName())
                + "-not-started-again-" + pid());
            try {
                Files.move(directory, kept);
            } catch (IOException e) {
                return new BrokerException(failure.getMessage() + System.lineSeparator() + "What it had on its disk is lost, since "
                    + directory + " cannot be moved to " + kept + " (" + e + ").", failure);
            }
        }
        return new BrokerException(failure.getMessage() + System.lineSeparator() + "What it had on its disk is kept in " + kept + ".",
            failure);
    }

    /**
     * Waits for an orderly end that was requested, and kills the process when that takes too long.
     *
     * @return whether the process ended by itself
     */
    final boolean endsOrderly(CompletableFuture<?> end, Duration limit) {
        if (await(end, limit)) {
            return true;
        }
        kill();
        return false;
    }

    /** Resumes the process if it is frozen, and ignores failures. */
    final void thaw() {
        frozen.endQuietly(this::target);
    }

    /** Revokes the action that would resume the process; called when the process is gone. */
    final void forgetFreeze() {
        frozen.forget();
    }

    /**
     * Sends a signal to the process.
     *
     * @throws UncheckedIOException when there is no command {@code kill}, or when it fails
     */
    public final void signal(String signal) {
        signal(signal, target());
    }

    /**
     * Sends a signal.
     *
     * @param to id of a process, or negative id of a group
     * @throws UncheckedIOException when there is no command {@code kill}, or when it fails
     */
    public static void signal(String signal, long to) {
        String target = Long.toString(to);
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, "--", target)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            if (!kill.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                kill.destroyForcibly();
                throw new IOException("Signal " + signal + " does not reach process " + target + ".");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits for an end, at most for a limit, and returns whether it came. Continues to wait when interrupted, since an interrupted caller
     * wants the broker to be gone as well.
     */
    static boolean await(CompletableFuture<?> end, Duration limit) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (true) {
                try {
                    end.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the process, and returns when the process and a throwaway directory are gone. Idempotent. */
    @Override
    public abstract void close();
}
