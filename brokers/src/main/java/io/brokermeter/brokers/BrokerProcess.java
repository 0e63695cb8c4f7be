package io.brokermeter.brokers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private final Process process;
    private final Path directory;
    private final boolean throwaway;
    private final boolean training;
    private final Ports ports;

    private BrokerProcess(String role, Process process, Path directory, boolean throwaway,
                          boolean training, Ports ports) {
        super(role, directory);
        this.process = process;
        this.directory = directory;
        this.throwaway = throwaway;
        this.training = training;
        this.ports = ports;
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
        ChildOutput output = ChildOutput.of(process.getInputStream());
        try {
            OutputStream input = process.getOutputStream();
            input.write(secrets.getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // the process is gone already, and its output says why
        }
        BrokerProcess broker = new BrokerProcess(role, process, directory, throwaway, false,
            new Ports(0, Map.of()));
        try {
            Ports ports = output.ready().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return new BrokerProcess(role, process, directory, throwaway, training, ports);
        } catch (TimeoutException e) {
            String lines = said(broker.lastLogLines(), output.lastLines());
            broker.close();
            throw new BrokerException("Broker " + name + " is not ready after " + limit.toSeconds() + " s." + lines, e);
        } catch (ExecutionException e) {
            String cause = Objects.requireNonNullElse(e.getCause(), e).getMessage();
            String lines = said(broker.lastLogLines(), output.lastLines());
            broker.close();
            throw new BrokerException("Broker " + name + " does not start: " + cause + lines, e);
        } catch (InterruptedException e) {
            broker.close();
            Thread.currentThread().interrupt();
            throw new BrokerException("Broker " + name + " does not start: the wait for it was interrupted.", e);
        }
    }

    private static String said(List<String> log, List<String> output) {
        return said(output.isEmpty() ? log : output);
    }

    @Override
    public int port() {
        return ports.main();
    }

    /** Its main port and the others. */
    Ports ports() {
        return ports;
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
        if (training) {
            // Its pipes must stay open: the JVM that writes the cache for it reports there, and a broken pipe kills it.
            endInput();
        } else if (throwaway) {
            // Nothing of it is kept, so there is nothing to write down first; a frozen process ends, too.
            process.destroyForcibly();
        } else {
            process.destroy();
        }
        if (!await(process.onExit(), training ? TRAINING_LIMIT : STOP_LIMIT)) {
            process.destroyForcibly();
            await(process.onExit(), STOP_LIMIT);
        }
        if (throwaway) {
            DataDirectory.delete(directory);
        }
    }

    private void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // the process is gone already
        }
    }
}
