package io.brokermeter.brokers.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.ExitAction;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.jspecify.annotations.Nullable;

/**
 * A process of a broker that runs a program of {@code hosts/}. The program prints {@code READY <port> ...}, {@code FAILED <cause>} or
 * {@code REFUSED <sentence>}, and ends by itself when its standard input ends: the operating system closes that when this JVM is gone,
 * however it ended. The process can be ended and started again.
 */
public final class BrokerProcess extends ChildProcess {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(8);
    private static final Duration DISK_LIMIT = Duration.ofSeconds(60);
    /** The longest wait for a process that writes a cache for later starts; a busy machine takes minutes for that. */
    private static final Duration TRAINING_LIMIT = Duration.ofMinutes(10);

    private static final String READY = "READY ";
    private static final String FAILED = "FAILED ";

    private final HostCommand command;
    private final Path directory;
    private final Path common;
    private final boolean throwaway;
    private final boolean training;
    private volatile Life life;
    private volatile @Nullable Ports firstPorts;
    private @Nullable ExitAction deletion;
    private boolean over;

    /** One process of the program, from its start to its end. */
    private static final class Life {

        final Process process;
        final @Nullable ClassArchive archive;
        final CompletableFuture<Ports> ready = new CompletableFuture<>();
        /** The last lines printed that are not part of the protocol with the program, oldest first. */
        final Deque<String> printed = new ArrayDeque<>();
        /** The answer about the disk; an empty text reports success. */
        volatile CompletableFuture<String> disk = new CompletableFuture<>();

        Life(HostCommand command, int port, Path directory, List<String> first) throws IOException {
            archive = command.archive();
            process = command.launch(port, directory, archive, first);
            read(process, this::accept, () -> {
                ready.completeExceptionally(new BrokerException("its process ended before it was ready."));
                disk.complete("its process ended.");
            });
        }

        private void accept(String line) {
            if (line.startsWith(READY)) {
                ready.complete(Ports.parse(line.substring(READY.length())));
            } else if (line.startsWith(FAILED)) {
                ready.completeExceptionally(new BrokerException(line.substring(FAILED.length())));
            } else if (line.startsWith(HostProgram.REFUSED)) {
                ready.completeExceptionally(BrokerException.refused(line.substring(HostProgram.REFUSED.length())));
            } else if (line.startsWith(HostProgram.DISK)) {
                disk.complete(line.substring(HostProgram.DISK.length()));
            } else {
                synchronized (printed) {
                    printed.addLast(line);
                    if (printed.size() > LOG_LINES) {
                        printed.removeFirst();
                    }
                }
            }
        }

        boolean wasReady() {
            return ready.isDone() && !ready.isCompletedExceptionally();
        }

        /** Returns whether the process should end in an orderly way, since an archive of its classes is wanted. */
        boolean isArchived() {
            return archive != null && wasReady() && process.isAlive() && archive.isWanted();
        }

        /** Completes or discards the archive; called when the process is gone. */
        void ended() {
            if (archive != null) {
                archive.ended(wasReady() && !process.isAlive() && process.exitValue() == 0);
            }
        }
    }

    /**
     * Starts the process. The caller must call {@link #awaitReady()} next.
     *
     * @param name name of the broker, for messages
     * @param role role in the topology
     * @param command command of the process
     * @param port main port, 0 for any free one
     * @param common common directory of all processes of the broker, which may be the same as {@code directory}
     * @param throwaway whether the directory is deleted with the process
     */
    BrokerProcess(BrokerName name, String role, HostCommand command, int port, Path directory, Path common,
            boolean throwaway) throws IOException {
        super(name, role, directory);
        this.command = command;
        this.directory = directory;
        this.common = common;
        this.throwaway = throwaway;
        this.training = command.options().training().isPresent();
        life = new Life(command, port, directory, List.of());
    }

    /**
     * Waits until the broker is ready.
     *
     * @throws BrokerException when the broker is not ready within the limit; the process and a throwaway directory are gone then
     */
    void awaitReady() throws BrokerException {
        awaitReady(life, this::close);
    }

    private void awaitReady(Life begun, Runnable giveUp) throws BrokerException {
        try {
            OutputStream input = begun.process.getOutputStream();
            input.write(command.secrets().getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // the process is already gone, and its output tells why
        }
        Duration limit = command.options().startLimit();
        try {
            begun.ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw failed(begun, "Broker " + name() + " is not ready after " + limit.toSeconds() + " s.", e, giveUp);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BrokerException known && known.isRefusal()) {
                giveUp.run();
                throw BrokerException.refused("Broker " + name() + " does not start: " + known.getMessage());
            }
            throw failed(begun, "Broker " + name() + " does not start: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e,
                giveUp);
        } catch (InterruptedException e) {
            giveUp.run();
            Thread.currentThread().interrupt();
            throw new BrokerException("Broker " + name() + " does not start: the wait for it was interrupted.", e);
        }
    }

    private BrokerException failed(Life begun, String sentence, Exception cause, Runnable giveUp) {
        String lines;
        synchronized (begun.printed) {
            lines = said(begun.printed.isEmpty() ? lastLogLines() : List.copyOf(begun.printed));
        }
        giveUp.run();
        return new BrokerException(sentence + lines, cause);
    }

    /**
     * Starts a process again that is gone, on the same ports and in the same directory, and waits until it is ready.
     *
     * @param settings settings of the host that differ from those of the first start
     * @throws BrokerException when the process is not ready within the limit; the process is gone then, and its files are kept
     */
    public void startAgain(Map<String, String> settings) throws BrokerException {
        Ports ports = ports();
        List<String> more = new ArrayList<>();
        settings.forEach((key, value) -> more.addAll(List.of("--set", key + "=" + value)));
        ports.others().forEach((other, port) -> more.addAll(List.of("--set", "port." + other + "=" + port)));
        more.addAll(List.of("--adopt", Boolean.toString(throwaway)));
        Life next;
        synchronized (this) {
            requireGone(closed());
            try {
                next = new Life(command, ports.main(), directory, more);
            } catch (IOException e) {
                throw new BrokerException("Broker " + name() + " does not start again: " + e.getMessage() + ".", e);
            }
            firstPorts = ports;
            life.ended();
            life = next;
        }
        try {
            awaitReady(next, () -> {
                next.process.destroyForcibly();
                await(next.process.onExit(), KILL_LIMIT);
            });
        } catch (BrokerException e) {
            throw notAgain(e, throwaway, common);
        }
        revokeDeletion();
    }

    @Override
    public int port() {
        return ports().main();
    }

    /** Returns the main port and the others. */
    public Ports ports() {
        Ports known = firstPorts;
        return known == null ? life.ready.join() : known;
    }

    @Override
    public long pid() {
        return life.process.pid();
    }

    @Override
    public long target() {
        return pid();
    }

    @Override
    public boolean isAlive() {
        return life.process.isAlive();
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return life.process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void kill() {
        willDeletion();
        life.process.destroyForcibly();
        await(life.process.onExit(), KILL_LIMIT);
        keepPorts();
        forgetFreeze();
    }

    /** Reserves the ports, since the process may be started again on them. */
    private void keepPorts() {
        if (!closed() && (firstPorts != null || life.wasReady())) {
            Ports ports = ports();
            FreePort.keep(ports.main());
            ports.others().values().forEach(FreePort::keep);
        }
    }

    @Override
    public boolean stop(Duration limit) {
        Life current = life;
        if (!current.process.isAlive()) {
            return true;
        }
        willDeletion();
        thaw();
        tell(current, HostProgram.STOP);
        boolean byItself = endsOrderly(current.process.onExit(), limit);
        keepPorts();
        return byItself;
    }

    private static void tell(Life to, String line) {
        try {
            OutputStream input = to.process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // the process is already gone
        }
    }

    @Override
    public boolean fill(boolean full) throws BrokerException {
        Life current = life;
        CompletableFuture<String> answer = new CompletableFuture<>();
        current.disk = answer;
        if (!isAlive()) {
            throw new BrokerException("the process " + pid() + " of broker " + name() + " is gone.");
        }
        tell(current, full ? HostProgram.FULL : HostProgram.FREE);
        String refusal;
        try {
            refusal = answer.get(DISK_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new BrokerException("broker " + name() + " did not answer within " + DISK_LIMIT.toSeconds() + " s.", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerException("the wait for broker " + name() + " was interrupted.", e);
        }
        if (refusal.equals(EmbeddedBroker.STANDS_BY)) {
            return false;
        }
        if (!refusal.isEmpty()) {
            throw new BrokerException(refusal);
        }
        return true;
    }

    /**
     * Arranges for the directory to be deleted when this JVM is gone. While it lives, the process deletes the directory itself, even when
     * this JVM is killed; a process that is gone cannot.
     */
    private synchronized void willDeletion() {
        if (throwaway && deletion == null && !closed()) {
            try {
                deletion = ExitAction.deleting(common);
            } catch (IOException e) {
                // a directory that is left behind is no reason to let the process live
            }
        }
    }

    private synchronized void revokeDeletion() {
        if (deletion != null) {
            deletion.close();
            deletion = null;
        }
    }

    private synchronized boolean closed() {
        return over;
    }

    @Override
    public synchronized void close() {
        Process process = life.process;
        boolean finishes = training && life.wasReady();
        boolean archived = throwaway && !finishes && life.isArchived();
        if (!finishes && !archived) {
            // A process that is killed deletes nothing, and this JVM may be halted before it does.
            willDeletion();
        }
        over = true;
        thaw();
        if (finishes) {
            try {
                // The pipes must stay open: the JVM that writes the cache for the process reports there, and a broken pipe kills it.
                process.getOutputStream().close();
            } catch (IOException e) {
                // the process is already gone
            }
        } else if (archived) {
            // By its handle, which leaves the pipes open: when its input ended, the process would delete files that others still use.
            process.toHandle().destroy();
        } else if (throwaway) {
            // No file of the process is kept, so there is nothing for it to write first.
            process.destroyForcibly();
        } else {
            process.destroy();
        }
        if (!await(process.onExit(), finishes || archived ? TRAINING_LIMIT : STOP_LIMIT)) {
            process.destroyForcibly();
            await(process.onExit(), KILL_LIMIT);
        }
        life.ended();
        if (throwaway) {
            DataDirectory.delete(directory);
        }
        revokeDeletion();
    }
}
