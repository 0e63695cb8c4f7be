package io.brokermeter.brokers.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.proc.ProcText;

/**
 * A process of a broker on this machine that was not started here, and that its owner lets this user end or suspend. It cannot be started
 * again. A frozen process is resumed by {@link #close()}, or when this JVM ends, however it ends.
 */
public final class ForeignProcess implements BrokerNode, AutoCloseable {

    private static final Duration KILL_LIMIT = Duration.ofSeconds(8);

    private final ProcessHandle process;
    private final StoppedProcess frozen = new StoppedProcess();

    private ForeignProcess(ProcessHandle process) {
        this.process = process;
    }

    /**
     * Returns the process with an id.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such process, or when it is this JVM or a process
     *     that this JVM depends on
     */
    public static ForeignProcess of(long pid) {
        ProcessHandle handle = ProcessHandle.of(pid).filter(ProcessHandle::isAlive)
            .orElseThrow(() -> new IllegalArgumentException("There is no process " + pid + "."));
        for (ProcessHandle own = ProcessHandle.current(); own != null; own = own.parent().orElse(null)) {
            if (own.pid() == pid) {
                throw new IllegalArgumentException("Process " + pid + " is no broker: this program " + (own.equals(ProcessHandle.current())
                    ? "is it." : "was started by it."));
            }
        }
        if (pid == 1) {
            throw new IllegalArgumentException("Process 1 is no broker: all others depend on it.");
        }
        return new ForeignProcess(handle);
    }

    @Override
    public String role() {
        return "pid " + pid();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    /** Returns 0, since the port is not known. */
    @Override
    public int port() {
        return 0;
    }

    @Override
    public boolean isAlive() {
        // A process that its parent has not waited for yet is gone nevertheless.
        return process.isAlive() && ProcText.state(pid()) != 'Z';
    }

    /** Returns an empty list, since the log is not accessible. */
    @Override
    public List<String> lastLogLines() {
        return List.of();
    }

    @Override
    public boolean awaitExit(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (isAlive() && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return !isAlive();
    }

    @Override
    public void kill() {
        if (!process.destroyForcibly() && process.isAlive()) {
            throw new IllegalStateException("Process " + pid() + " cannot be killed by this user.");
        }
        awaitGone(KILL_LIMIT);
        frozen.forget();
    }

    @Override
    public boolean stop(Duration limit) throws BrokerException {
        resume();
        if (!process.destroy() && process.isAlive()) {
            throw new BrokerException("Process " + pid() + " cannot be ended by this user.");
        }
        if (awaitGone(limit)) {
            return true;
        }
        kill();
        return false;
    }

    private boolean awaitGone(Duration limit) {
        try {
            return awaitExit(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !isAlive();
        }
    }

    @Override
    public void freeze() {
        frozen.begin(pid(), pid());
    }

    @Override
    public void resume() {
        // The id may belong to another process by now.
        if (process.isAlive()) {
            frozen.end(this::pid);
        } else {
            frozen.forget();
        }
    }

    /** Fails, since only the owner of the process knows its limits. */
    @Override
    public boolean fill(boolean full) throws BrokerException {
        throw new BrokerException("Process " + pid() + " was not started here.");
    }

    /** Resumes the process if it is frozen. */
    @Override
    public void close() {
        resume();
    }
}
