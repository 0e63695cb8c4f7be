package io.brokermeter.brokers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.Ports;

/**
 * One process of a broker that runs a program of {@code hosts/}. It prints {@code READY <port> ...} or {@code FAILED <cause>} and ends by itself when
 * its standard input does: the operating system closes that when this process is gone, however it went.
 */
final class BrokerProcess extends ChildProcess {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(8);
    private static final Duration TRAINING_LIMIT = Duration.ofMinutes(2);

    private static final String READY = "READY ";
    private static final String FAILED = "FAILED ";

    private final Process process;
    private final Path directory;
    private final boolean throwaway;
    private final boolean training;
    private final CompletableFuture<Ports> ready = new CompletableFuture<>();
    /** The last lines that it printed besides those two, oldest first. */
    private final Deque<String> printed = new ArrayDeque<>();

    private BrokerProcess(String role, Process process, Path directory, boolean throwaway, boolean training) {
        super(role, directory);
        this.process = process;
        this.directory = directory;
        this.throwaway = throwaway;
        this.training = training;
        read(process, this::accept,
            () -> ready.completeExceptionally(new BrokerException("its process ended before it was ready.")));
    }

    /**
     * Starts the process and waits until it is ready.
     *
     * @param name which broker it is, for the sentences of failures
     * @param role what it is within its topology
     * @param keep whether a directory that it creates stays at its end
     * @param secrets lines for its standard input, where no process list shows them
     * @param training whether its JVM must be left to end by itself, since it writes its AOT cache then
     * @throws BrokerException when it is not ready within the limit; the process and its directory are gone then
     */
    static BrokerProcess start(BrokerName name, String role, List<String> command, String secrets, Path directory,
                               boolean keep, Duration limit, boolean training) throws BrokerException {
        boolean throwaway = Files.notExists(directory) && !keep;
        Process process;
        try {
            // What it writes, its user alone may read; the shell is gone when the program begins, which has its number.
            List<String> whole = new ArrayList<>(List.of("sh", "-c", "umask 077; exec \"$@\"", "brokermeter-broker"));
            whole.addAll(command);
            process = new ProcessBuilder(whole).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        }
        BrokerProcess broker = new BrokerProcess(role, process, directory, throwaway, training);
        try {
            OutputStream input = process.getOutputStream();
            input.write(secrets.getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // the process is gone already, and its output says why
        }
        try {
            broker.ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return broker;
        } catch (TimeoutException e) {
            throw broker.failed("Broker " + name + " is not ready after " + limit.toSeconds() + " s.", e);
        } catch (ExecutionException e) {
            throw broker.failed("Broker " + name + " does not start: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (InterruptedException e) {
            broker.close();
            Thread.currentThread().interrupt();
            throw new BrokerException("Broker " + name + " does not start: the wait for it was interrupted.", e);
        }
    }

    private void accept(String line) {
        if (line.startsWith(READY)) {
            ready.complete(Ports.parse(line.substring(READY.length())));
        } else if (line.startsWith(FAILED)) {
            ready.completeExceptionally(new BrokerException(line.substring(FAILED.length())));
        } else {
            synchronized (printed) {
                printed.addLast(line);
                if (printed.size() > LOG_LINES) {
                    printed.removeFirst();
                }
            }
        }
    }

    private BrokerException failed(String sentence, Exception cause) {
        String lines;
        synchronized (printed) {
            lines = said(printed.isEmpty() ? lastLogLines() : List.copyOf(printed));
        }
        close();
        return new BrokerException(sentence + lines, cause);
    }

    @Override
    public int port() {
        return ports().main();
    }

    /** Its main port and the others. */
    Ports ports() {
        return ready.join();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    long target() {
        return pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void kill() {
        process.destroyForcibly();
        await(process.onExit(), STOP_LIMIT);
    }

    @Override
    public synchronized void close() {
        boolean finishes = training && ready.isDone() && !ready.isCompletedExceptionally();
        if (finishes) {
            try {
                // Its pipes must stay open: the JVM that writes the cache for it reports there, and a broken pipe kills it.
                process.getOutputStream().close();
            } catch (IOException e) {
                // the process is gone already
            }
        } else if (throwaway) {
            // Nothing of it is kept, so there is nothing to write down first; a frozen process ends, too.
            process.destroyForcibly();
        } else {
            process.destroy();
        }
        if (!await(process.onExit(), finishes ? TRAINING_LIMIT : STOP_LIMIT)) {
            process.destroyForcibly();
            await(process.onExit(), STOP_LIMIT);
        }
        if (throwaway) {
            DataDirectory.delete(directory);
        }
    }
}
