package io.brokermeter.trials;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.engine.run.Interruptible;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Ctrl-C, SIGTERM and SIGHUP. The first asks what runs for a clean end; before that has begun, and at the second, the
 * process ends at once. A shutdown hook could not do this: the JVM runs hooks once, and ignores every later signal.
 */
public final class Interruption implements AutoCloseable {

    /** How long a run that is to end at once may take for its summary, in milliseconds. */
    private static final long LAST_WORDS_MILLIS = 1_500;
    /**
     * How long cleaning up and shutdown hooks may take before the process is cut off. What it started ends by itself when it is
     * gone.
     */
    private static final long HOOKS_MILLIS = 1_800;

    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

    private static volatile boolean received;

    private final Runnable cleanup;
    private final AtomicInteger signals = new AtomicInteger();
    private @Nullable Interruptible work;
    private volatile boolean ending;

    /**
     * @param cleanup what must be done before the process ends; called by any thread
     */
    private Interruption(Runnable cleanup) {
        this.cleanup = cleanup;
    }

    /** Begins to listen. */
    public static Interruption install(Runnable cleanup) {
        Interruption interruption = new Interruption(cleanup);
        handle(SIGNALS, s -> interruption.received(s.getNumber()));
        return interruption;
    }

    /** Has {@code action} called for each of these signals from now on, in place of what was called before. */
    public static void handleAll(Runnable action) {
        handle(SIGNALS, _ -> action.run());
    }

    /** Leaves signals of the terminal to whoever started this process. */
    public static void ignoreTerminal() {
        handle(List.of("INT", "HUP"), _ -> {});
    }

    static void handle(List<String> names, SignalHandler handler) {
        for (String name : names) {
            try {
                Signal.handle(new Signal(name), handler);
            } catch (IllegalArgumentException e) {
                // The JVM keeps this one for itself (-Xrs) or the system has none of that name: its default action stays.
            }
        }
    }

    /** From now on the first signal goes to this work. */
    public void runs(Interruptible begun) {
        synchronized (this) {
            work = begun;
        }
    }

    /** Whether any signal of these was received since the process began. */
    public static boolean wasReceived() {
        return received;
    }

    private void received(int number) {
        received = true;
        int count = signals.incrementAndGet();
        Interruptible current;
        synchronized (this) {
            current = work;
        }
        if (current != null && current.hasBegun()) {
            if (count == 1) {
                current.stop(number);
                return;
            }
            current.abort();
            sleep(LAST_WORDS_MILLIS);
        }
        end(128 + number);
    }

    /** Ends the process at once; does not return. */
    private void end(int status) {
        ending = true;
        Thread.ofPlatform().daemon().name("brokermeter-end").start(() -> {
            sleep(HOOKS_MILLIS);
            Runtime.getRuntime().halt(status);
        });
        cleanup.run();
        System.exit(status);
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Signals that come from now on change nothing: the process is about to end by itself. Does not return when one of them is ending it already, since what
     * failed then, failed by that, and the status of the process is the signal's.
     */
    @Override
    public void close() {
        handle(SIGNALS, _ -> received = true);
        while (ending) {
            // whoever interrupts this thread wants an end, too
            Thread.interrupted();
            sleep(HOOKS_MILLIS);
        }
    }
}
