package io.brokermeter.brokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.brokermeter.hosts.DataDirectory;

/**
 * A broker that is a program of this machine, as a process in a session of its own, where Ctrl-C of the terminal does
 * not reach it. A small shell script stands between: it ends the broker and deletes its directory as soon as this
 * process is gone, however it went.
 */
final class NativeProcess extends ChildProcess {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(12);
    private static final long ASK_MILLIS = 20;
    private static final String PID = "PID ";
    private static final String ENDED = "ENDED ";

    private final int port;
    private final Process guard;
    private final Path directory;
    private final boolean throwaway;
    private final CompletableFuture<Long> server = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();

    /**
     * @param guard runs the script and the broker
     * @param throwaway whether the directory is deleted at the end
     */
    NativeProcess(String role, int port, Process guard, Path directory, boolean throwaway) {
        super(role, directory);
        this.port = port;
        this.guard = guard;
        this.directory = directory;
        this.throwaway = throwaway;
        read(guard, this::accept, this::outputEnded);
    }

    private void accept(String line) {
        if (line.startsWith(PID)) {
            server.complete(Long.valueOf(line.substring(PID.length())));
        } else if (line.startsWith(ENDED)) {
            ended.complete(Integer.valueOf(line.substring(ENDED.length())));
        }
    }

    private void outputEnded() {
        server.completeExceptionally(new BrokerException("sh ended before it started the program."));
        ended.complete(-1);
    }

    /**
     * Waits until the broker is ready.
     *
     * @param cause finds the cause of a failed start in the log, as its first group
     * @throws BrokerException when it is not ready within the limit; the process and a throwaway directory are gone then
     */
    void awaitReady(BrokerName name, Pattern cause, Probe ready, Duration limit) throws BrokerException {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            server.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            while (!ended.isDone() && System.nanoTime() - deadline < 0) {
                if (asked(ready) && !ended.isDone()) {
                    return;
                }
                awaitExit(Duration.ofMillis(ASK_MILLIS));
            }
        } catch (ExecutionException e) {
            throw failed("Broker " + name + " does not start: " + Objects.requireNonNullElse(e.getCause(), e).getMessage());
        } catch (TimeoutException e) {
            // the sentence below covers it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("Broker " + name + " does not start: the wait for it was interrupted.");
        }
        if (ended.isDone()) {
            String why = log().flatMap(line -> cause.matcher(line).results()).findFirst()
                .map(match -> ": " + match.group(1).strip()).orElse(".");
            throw failed("Broker " + name + " does not start: its process ended with status " + ended.join()
                + " before it was ready" + why + said(lastLogLines()));
        }
        throw failed("Broker " + name + " is not ready after " + limit.toSeconds() + " s." + said(lastLogLines()));
    }

    private BrokerException failed(String sentence) {
        close();
        return new BrokerException(sentence);
    }

    private static boolean asked(Probe ready) {
        try {
            return ready.succeeds();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long pid() {
        return server.join();
    }

    @Override
    long target() {
        return -pid();
    }

    @Override
    public boolean isAlive() {
        return !ended.isDone();
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        try {
            ended.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void kill() {
        if (isAlive()) {
            try {
                signal("KILL");
            } catch (UncheckedIOException e) {
                // it may have gone at this moment; whether it has is what comes next
            }
            await(ended, STOP_LIMIT);
        }
    }

    @Override
    public synchronized void close() {
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            // the guard is gone already
        }
        if (!await(guard.onExit(), STOP_LIMIT)) {
            kill();
            guard.destroyForcibly();
            await(guard.onExit(), STOP_LIMIT);
        }
        if (throwaway) {
            DataDirectory.delete(directory);
        }
    }
}
