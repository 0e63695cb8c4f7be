package io.brokermeter.brokers;

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

/** A process of a broker that this one started, with its directory. */
abstract class ChildProcess implements BrokerNode, AutoCloseable {

    static final int LOG_LINES = 20;

    private final BrokerName name;
    private final String role;
    private final Path directory;
    private final StoppedProcess frozen = new StoppedProcess();

    /**
     * A process that is about to be started.
     *
     * @param name which broker it is, for the sentences of failures
     * @param role what it is within its topology
     */
    ChildProcess(BrokerName name, String role, Path directory) {
        this.name = name;
        this.role = role;
        this.directory = directory;
    }

    /** Which broker it is, for the sentences of failures. */
    final BrokerName name() {
        return name;
    }

    @Override
    public final String role() {
        return role;
    }

    /** What signals go to: the id of the process, or the negative id of its group. */
    abstract long target();

    @Override
    public final List<String> lastLogLines() {
        List<String> lines = log().filter(line -> !line.isBlank()).toList();
        return List.copyOf(lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    }

    /** All that it logged; none when there is no log. */
    final Stream<String> log() {
        try {
            // A program may write bytes that are no text.
            return new String(Files.readAllBytes(directory.resolve("broker.log")), StandardCharsets.UTF_8).lines();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /** Reads what a process prints, on a daemon thread and to its end, so that it never blocks on a full pipe. */
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

    /** The end of a sentence about a process that does not start. */
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
     * Refuses to start it again where that cannot be.
     *
     * @param closed whether it was closed
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
     * What is said of a process that did not start again. What it had on its disk is all that is left of it, so a directory that would go
     * with it is moved beside that of the broker, and stays; other processes of a topology may go on in theirs.
     *
     * @param throwaway whether its directory would go with it
     * @param common the directory of all processes of the broker, which goes with them
     */
    final BrokerException notAgain(BrokerException failure, boolean throwaway, Path common) {
        // Whoever interrupted it gave it up, and wants nothing of it.
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
     * Waits for the orderly end that it was asked for, and kills it when that takes too long.
     *
     * @return whether it ended by itself
     */
    final boolean endsOrderly(CompletableFuture<?> end, Duration limit) {
        if (await(end, limit)) {
            return true;
        }
        kill();
        return false;
    }

    /** Lets it go on if it is frozen, and minds nothing. */
    final void thaw() {
        frozen.endQuietly(this::target);
    }

    /** The process is gone. */
    final void forgetFreeze() {
        frozen.forget();
    }

    /** @throws UncheckedIOException when there is no command {@code kill}, or it refuses */
    final void signal(String signal) {
        signal(signal, target());
    }

    /**
     * Sends a signal.
     *
     * @param to the id of a process, or the negative id of a group
     * @throws UncheckedIOException when there is no command {@code kill}, or it refuses
     */
    static void signal(String signal, long to) {
        String target = Long.toString(to);
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, "--", target)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                kill.destroyForcibly();
                throw new IOException("Signal " + signal + " does not reach process " + target + ".");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for it even when interrupted, since an interrupted caller wants the broker gone, too. */
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

    /** Ends the process, and returns when it and a throwaway directory are gone. Idempotent. */
    @Override
    public abstract void close();
}
