package io.brokermeter.brokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;

import io.brokermeter.hosts.LastWill;
import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/** Holds a process stopped without ending it, until it is released or this process is gone, however that ended. Thread-safe. */
final class Freeze {

    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** Lets it go on when this process is gone; null when it is not frozen. */
    private @Nullable LastWill will;

    /**
     * Stops it, unless it is frozen already, and returns when it is stopped.
     *
     * @param target what signals go to: the id of the process, or the negative id of its group
     * @throws UncheckedIOException when there is no command {@code kill}, or it refuses
     */
    void begin(long target, long pid) {
        synchronized (this) {
            if (will != null) {
                return;
            }
            try {
                will = LastWill.resuming(target);
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
        awaitStopped(pid);
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

    /** Blocks until the kernel has stopped a process, which it does soon, and not before a system call that must not be interrupted ends. */
    private static void awaitStopped(long pid) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                char state = ProcText.state(pid);
                if (state == 'T' || state == 't' || state == 'Z' || state == '?') {
                    return;
                }
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
