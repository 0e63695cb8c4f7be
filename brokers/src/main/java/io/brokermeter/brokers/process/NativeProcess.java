package io.brokermeter.brokers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.hosts.DataDirectory;

/**
 * A broker that is a program of this machine, as a process in a session of its own, where Ctrl-C of the terminal does not reach it. A small
 * shell script, the guard, is its parent: it ends the broker and deletes the directory as soon as this JVM is gone, however it ended.
 */
public final class NativeProcess extends ChildProcess {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(12);
    private static final long ASK_MILLIS = 20;
    private static final String PID = "PID ";
    private static final String ENDED = "ENDED ";

    private final int port;
    private final Launcher launcher;
    private final Readiness readiness;
    private final DiskLimit limit;
    private final Path directory;
    private final Path common;
    private final boolean throwaway;
    /**
     * The guards of processes that are gone. A guard deletes the directory when its input ends, so its input must stay open until the
     * broker is closed.
     */
    private final List<Process> former = new ArrayList<>();
    private volatile Life life;
    private boolean over;

    /** Starts the guard with the broker. */
    interface Launcher {
        Process launch() throws IOException;
    }

    /**
     * The condition under which the broker is ready.
     *
     * @param cause pattern whose first group is the cause of a failed start in the log
     * @param ready probe that succeeds when the broker serves its clients
     * @param limit longest wait until it does
     */
    record Readiness(Pattern cause, Probe ready, Duration limit) {}

    /** Makes the disk count as full or ends that, see {@link BrokerNode#fill}. */
    interface DiskLimit {
        void fill(boolean full) throws BrokerException;
    }

    /** One process of the program, from its start to its end. */
    private static final class Life {

        final Process guard;
        final CompletableFuture<Long> server = new CompletableFuture<>();
        final CompletableFuture<Integer> ended = new CompletableFuture<>();

        Life(Process guard) {
            this.guard = guard;
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

        boolean awaitExit(Duration limit) throws InterruptedException {
            try {
                ended.get(limit.toNanos(), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Starts the guard and the broker. The caller must call {@link #awaitReady()} next.
     *
     * @param name name of the broker, for messages
     * @param limit makes the disk count as full
     * @param common common directory of all processes of the broker, which may be the same as {@code directory}
     * @param throwaway whether the directory is deleted at the end
     */
    NativeProcess(BrokerName name, String role, int port, Launcher launcher, Readiness readiness, DiskLimit limit, Path directory,
            Path common, boolean throwaway) throws IOException {
        super(name, role, directory);
        this.port = port;
        this.launcher = launcher;
        this.readiness = readiness;
        this.limit = limit;
        this.directory = directory;
        this.common = common;
        this.throwaway = throwaway;
        life = new Life(launcher.launch());
    }

    /**
     * Waits until the broker is ready.
     *
     * @throws BrokerException when the broker is not ready within the limit; the process and a throwaway directory are gone then
     */
    void awaitReady() throws BrokerException {
        awaitReady(this::close);
    }

    private void awaitReady(Runnable giveUp) throws BrokerException {
        Life begun = life;
        Duration limit = readiness.limit();
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            begun.server.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            while (!begun.ended.isDone() && System.nanoTime() - deadline < 0) {
                if (asked(readiness.ready()) && !begun.ended.isDone()) {
                    return;
                }
                begun.awaitExit(Duration.ofMillis(ASK_MILLIS));
            }
        } catch (ExecutionException e) {
            throw failed("Broker " + name() + " does not start: " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), giveUp);
        } catch (TimeoutException e) {
            // covered by the message below
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("Broker " + name() + " does not start: the wait for it was interrupted.", giveUp);
        }
        if (begun.ended.isDone()) {
            String why = log().flatMap(line -> readiness.cause().matcher(line).results()).findFirst()
                .map(match -> ": " + match.group(1).strip()).orElse(".");
            throw failed("Broker " + name() + " does not start: its process ended with status " + begun.ended.join()
                + " before it was ready" + why + said(lastLogLines()), giveUp);
        }
        throw failed("Broker " + name() + " is not ready after " + limit.toSeconds() + " s." + said(lastLogLines()), giveUp);
    }

    private static BrokerException failed(String sentence, Runnable giveUp) {
        giveUp.run();
        return new BrokerException(sentence);
    }

    /**
     * Starts a broker again that is gone, with the same command and in the same directory, and waits until it is ready.
     *
     * @throws BrokerException when the broker is not ready within the limit; it is gone then, and its files are kept
     */
    public void startAgain() throws BrokerException {
        synchronized (this) {
            requireGone(over);
            Process guard = life.guard;
            try {
                life = new Life(launcher.launch());
            } catch (IOException e) {
                throw new BrokerException("Broker " + name() + " does not start again: " + e.getMessage() + ".", e);
            }
            former.add(guard);
        }
        try {
            awaitReady(this::kill);
        } catch (BrokerException e) {
            throw notAgain(e, throwaway, common);
        }
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
        return life.server.join();
    }

    @Override
    public long target() {
        return -pid();
    }

    @Override
    public boolean isAlive() {
        return !life.ended.isDone();
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return life.awaitExit(limit);
    }

    @Override
    public boolean fill(boolean full) throws BrokerException {
        limit.fill(full);
        return true;
    }

    @Override
    public void kill() {
        if (isAlive()) {
            try {
                signal("KILL");
            } catch (UncheckedIOException e) {
                // the process may have ended at this moment; the wait below tells
            }
            await(life.ended, KILL_LIMIT);
        }
        forgetFreeze();
    }

    @Override
    public boolean stop(Duration limit) {
        if (!isAlive()) {
            return true;
        }
        thaw();
        try {
            // The program itself ends the processes that it has started.
            signal("TERM", pid());
        } catch (UncheckedIOException e) {
            // the process may have ended at this moment; the wait below tells
        }
        return endsOrderly(life.ended, limit);
    }

    @Override
    public synchronized void close() {
        over = true;
        thaw();
        Process guard = life.guard;
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            // the guard is already gone
        }
        if (!await(guard.onExit(), STOP_LIMIT)) {
            kill();
            guard.destroyForcibly();
            await(guard.onExit(), KILL_LIMIT);
        }
        // The end of the guard is known before its last line has been read, on which isAlive depends.
        await(life.ended, KILL_LIMIT);
        for (Process past : former) {
            try {
                past.getOutputStream().close();
            } catch (IOException e) {
                // it is already gone
            }
            await(past.onExit(), STOP_LIMIT);
        }
        if (throwaway) {
            DataDirectory.delete(directory);
        }
    }
}
