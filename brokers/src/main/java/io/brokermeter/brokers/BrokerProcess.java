package io.brokermeter.brokers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
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

    /**
     * @param role what it is within its topology
     * @param throwaway whether its directory goes with it
     * @param training whether its JVM must be left to end by itself, since it writes its AOT cache then
     */
    BrokerProcess(String role, Process process, Path directory, boolean throwaway, boolean training) {
        super(role, directory);
        this.process = process;
        this.directory = directory;
        this.throwaway = throwaway;
        this.training = training;
        read(process, this::accept,
            () -> ready.completeExceptionally(new BrokerException("its process ended before it was ready.")));
    }

    /**
     * Waits until the broker is ready.
     *
     * @param name which broker it is, for the sentences of failures
     * @param secrets lines for its standard input, where no process list shows them
     * @throws BrokerException when it is not ready within the limit; the process and its directory are gone then
     */
    void awaitReady(BrokerName name, String secrets, Duration limit) throws BrokerException {
        try {
            OutputStream input = process.getOutputStream();
            input.write(secrets.getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // the process is gone already, and its output says why
        }
        try {
            ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed("Broker " + name + " is not ready after " + limit.toSeconds() + " s.", e);
        } catch (ExecutionException e) {
            throw failed("Broker " + name + " does not start: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (InterruptedException e) {
            close();
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
