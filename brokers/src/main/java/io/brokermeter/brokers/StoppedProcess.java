package io.brokermeter.brokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;

import io.brokermeter.hosts.ExitAction;
import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/** Holds a process stopped without ending it, until it is released or this process is gone, however that ended. Thread-safe. */
final class StoppedProcess {

    private static final Duration LIMIT = Duration.ofSeconds(8);

    /** Lets it go on when this process is gone; null when it is not frozen. */
    private @Nullable ExitAction will;

    /**
     * Stops it, unless it is frozen already, and returns when it is stopped.
     *
     * @param target what signals go to: the id of the process, or the negative id of its group
     * @throws UncheckedIOException when there is no command {@code kill}, or it refuses, and when the process is not stopped within 8 s; it goes on
     *     then
     */
    void begin(long target, long pid) {
        begin(target, pid, LIMIT);
    }

    void begin(long target, long pid, Duration limit) {
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
     * Lets it go on if it is frozen.
     *
     * @param target asked for only then
     * @throws UncheckedIOException when there is no command {@code kill}, or it refuses
     */
    synchronized void end(LongSupplier target) {
        if (will != null) {
            ChildProcess.signal("CONT", target.getAsLong());
            forget();
        }
    }

    /** The same, and minds nothing. */
    synchronized void endQuietly(LongSupplier target) {
        try {
            end(target);
        } catch (UncheckedIOException e) {
            // it is gone
            forget();
        }
    }

    /** The process is gone. */
    synchronized void forget() {
        if (will != null) {
            will.close();
            will = null;
        }
    }

    /** Blocks until the kernel has stopped a process, which it does soon, and not before a system call that must not be interrupted ends; false when it has not. */
    private static boolean awaitStopped(long pid, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                char state = ProcText.state(pid);
                if (state == 'T' || state == 't' || state == 'Z' || state == '?') {
                    return true;
                }
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return false;
    }
}
