package io.brokermeter.brokers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
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

    private NativeProcess(String role, int port, Process guard, Path directory, boolean throwaway) {
        super(role, directory);
        this.port = port;
        this.guard = guard;
        this.directory = directory;
        this.throwaway = throwaway;
    }

    /**
     * Starts the broker and returns when it is ready.
     *
     * @param environment changes the variables that it gets
     * @param directory exists
     * @param throwaway whether the directory is deleted at the end
     * @param cause finds the cause of a failed start in the log, as its first group
     * @throws BrokerException when it is not ready within the limit; the process and a throwaway directory are gone then
     */
    static NativeProcess start(BrokerName name, String role, int port, List<String> command,
                               Consumer<Map<String, String>> environment, Path directory, boolean throwaway,
                               Pattern cause, Probe ready, Duration limit) throws BrokerException {
        NativeProcess process;
        try {
            List<String> whole = new ArrayList<>(List.of("sh", "-c", script(), "brokermeter-guard",
                directory.toString(), throwaway ? "throwaway" : "kept"));
            whole.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(whole).directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
            environment.accept(builder.environment());
            process = new NativeProcess(role, port, builder.start(), directory, throwaway);
        } catch (IOException e) {
            if (throwaway) {
                DataDirectory.delete(directory);
            }
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        }
        read(process.guard, process::accept, process::outputEnded);
        try {
            process.awaitReady(name, cause, ready, limit);
            return process;
        } catch (BrokerException e) {
            process.close();
            throw e;
        } catch (InterruptedException e) {
            process.close();
            Thread.currentThread().interrupt();
            throw new BrokerException("Broker " + name + " does not start: the wait for it was interrupted.", e);
        }
    }

    private static String script() throws IOException {
        try (InputStream script = NativeProcess.class.getResourceAsStream("native-guard.sh")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        }
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

    private void awaitReady(BrokerName name, Pattern cause, Probe ready, Duration limit)
        throws BrokerException, InterruptedException {
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
            throw new BrokerException("Broker " + name + " does not start: "
                + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (TimeoutException e) {
            // the sentence below covers it
        }
        if (ended.isDone()) {
            String why = log().flatMap(line -> cause.matcher(line).results()).findFirst()
                .map(match -> ": " + match.group(1).strip()).orElse(".");
            throw new BrokerException("Broker " + name + " does not start: its process ended with status "
                + ended.join() + " before it was ready" + why + said(lastLogLines()));
        }
        throw new BrokerException("Broker " + name + " is not ready after " + limit.toSeconds() + " s."
            + said(lastLogLines()));
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
