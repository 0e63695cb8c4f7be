package io.brokermeter.brokers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;

import io.brokermeter.hosts.ExitAction;
import io.brokermeter.proc.ProcText;
import io.brokermeter.spi.AwakeDeadline;
import org.jspecify.annotations.Nullable;

/** Holds a process suspended until it is released or this JVM is gone, however it ended. Thread-safe. */
public final class StoppedProcess {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The action that resumes the process when this JVM is gone; null when the process is not frozen. */
    private @Nullable ExitAction will;

    /**
     * Suspends the process, unless it is frozen already, and returns when it is suspended.
     *
     * @param target target of signals: the id of the process, or the negative id of its group
     * @throws UncheckedIOException when there is no command {@code kill}, when it fails, or when the process is not suspended within 60 s;
     *     the process is resumed then
     */
    public void begin(long target, long pid) {
        begin(target, pid, LIMIT);
    }

    public void begin(long target, long pid, Duration limit) {
        synchronized (this) {
            if (will != null) {
                return;
            }
            try {
                will = ExitAction.resuming(target);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        try {
            ChildProcess.signal("STOP", target);
        } catch (UncheckedIOException e) {
            endQuietly(() -> target);
            throw e;
        }
        if (!awaitStopped(pid, limit)) {
            endQuietly(() -> target);
            throw new UncheckedIOException(new IOException("Process " + pid + " was not stopped within " + limit.toMillis() / 1e3 + " s."));
        }
    }

    /**
     * Resumes the process if it is frozen.
     *
     * @param target supplies the target of signals; called only if the process is frozen
     * @throws UncheckedIOException when there is no command {@code kill}, or when it fails
     */
    public synchronized void end(LongSupplier target) {
        if (will != null) {
            ChildProcess.signal("CONT", target.getAsLong());
            forget();
        }
    }

    /** Resumes the process if it is frozen, and ignores failures. */
    synchronized void endQuietly(LongSupplier target) {
        try {
            end(target);
        } catch (UncheckedIOException e) {
            // the process is gone
            forget();
        }
    }

    /** Revokes the action that would resume the process; called when the process is resumed or gone. */
    synchronized void forget() {
        if (will != null) {
            will.close();
            will = null;
        }
    }

    /**
     * Blocks until the kernel has suspended a process, which is soon, but not before an uninterruptible system call ends. Returns false
     * after the limit.
     */
    private static boolean awaitStopped(long pid, Duration limit) {
        AwakeDeadline deadline = new AwakeDeadline(limit.toNanos());
        while (true) {
            try {
                // Behind the limit, too: a machine that stood still may have stopped the process in no time of its own.
                if (isStopped(pid)) {
                    return true;
                }
                if (deadline.isOver()) {
                    return false;
                }
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
    }

    /**
     * Returns whether a process is stopped or gone. One that starts another by vfork waits uninterruptibly until its child executes the new
     * program, which the child does not when it is stopped before; it counts as stopped, since it runs no more code of its own.
     */
    private static boolean isStopped(long pid) {
        return switch (ProcText.state(pid)) {
            case 'T', 't', 'Z', '?' -> true;
            case 'D' -> ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children)
                .anyMatch(child -> ProcText.state(child.pid()) == 'T');
            default -> false;
        };
    }
}
