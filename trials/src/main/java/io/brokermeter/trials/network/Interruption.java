package io.brokermeter.trials.network;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.brokermeter.engine.run.Interruptible;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handles Ctrl-C, SIGTERM and SIGHUP. The first signal requests a clean end of the work that runs; before the work has begun, and at the
 * second signal, the process ends at once. A shutdown hook could not do this: the JVM runs hooks once, and ignores every later signal.
 */
public final class Interruption implements AutoCloseable {

    /** The time that a run which is to end at once has for its summary, in milliseconds. */
    private static final long LAST_WORDS_MILLIS = 1_500;
    /**
     * The time that cleaning up and shutdown hooks may take before the process is halted, in milliseconds. Processes that it started end by
     * themselves when it is gone.
     */
    private static final long HOOKS_MILLIS = 1_800;

    private static final long LOOK_MILLIS = 50;

    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

    private static final int TERM = 15;

    /** Number of the last of these signals; 0 as long as there was none. */
    private static volatile int received;

    /** The handlers of a process that is not the tool's, while there are {@link #guests}. */
    private static final Map<Signal, SignalHandler> FORMER = new LinkedHashMap<>();
    /** Number of pieces of work that now run in a process that is not the tool's; guarded by {@link #FORMER}. */
    private static int guests;

    /** Has, in the thread of a guest, the last that was installed there. */
    private static final ScopedValue<AtomicReference<Interruption>> GUEST = ScopedValue.newInstance();

    private final Runnable cleanup;
    private final AtomicInteger signals = new AtomicInteger();
    private @Nullable Interruptible work;
    private volatile boolean ending;

    /** @param cleanup what must be done before the process ends; called by any thread */
    private Interruption(Runnable cleanup) {
        this.cleanup = cleanup;
    }

    /** Installs handlers for these signals. */
    public static Interruption install(Runnable cleanup) {
        Interruption interruption = new Interruption(cleanup);
        handle(SIGNALS, s -> interruption.received(s.getNumber()));
        if (GUEST.isBound()) {
            GUEST.get().set(interruption);
        }
        return interruption;
    }

    /** Calls {@code action} for each of these signals from now on, in place of the former handler. */
    public static void handleAll(Runnable action) {
        handle(SIGNALS, _ -> action.run());
    }

    /**
     * Does work in a process that goes on after it, such as that of somebody's tests: puts the handlers that were there back at the end, and
     * raises a signal again that came meanwhile, so that it reaches those for whom it was meant, too. Of several at once, the last one does.
     * An interruption of the caller ends the work as a signal does, and is kept.
     */
    public static <T> T asGuest(Supplier<T> work) {
        synchronized (FORMER) {
            if (guests++ == 0) {
                received = 0;
                for (String name : SIGNALS) {
                    // Only replacing a handler tells it.
                    handle(name, s -> received = s.getNumber()).ifPresent(former -> FORMER.put(new Signal(name), former));
                    FORMER.forEach(Signal::handle);
                }
            }
        }
        try {
            return onThread(work);
        } finally {
            synchronized (FORMER) {
                if (--guests == 0) {
                    FORMER.forEach(Signal::handle);
                    FORMER.keySet().stream().filter(signal -> signal.getNumber() == received).forEach(Signal::raise);
                    FORMER.clear();
                }
            }
        }
    }

    /** Does work on a thread of its own: what it waits for does not end by an interruption. */
    private static <T> T onThread(Supplier<T> work) {
        AtomicReference<Interruption> last = new AtomicReference<>();
        FutureTask<T> task = new FutureTask<>(() -> ScopedValue.where(GUEST, last).call(work::get));
        Thread guest = Thread.ofPlatform().name("brokermeter-guest").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    Interruption of = last.get();
                    if (of == null || of.ends(TERM) == 0) {
                        guest.interrupt();
                    }
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ignores the signals of the terminal, which are for the process that started this one. */
    public static void ignoreTerminal() {
        handle(List.of("INT", "HUP"), _ -> {});
    }

    /** Calls {@code action} from now on whenever the terminal has another size, on a system that says so. */
    public static void onResize(Runnable action) {
        handle(List.of("WINCH"), _ -> action.run());
    }

    /** Raises SIGTERM in this process when an input ends, unless one of these signals came before. */
    public static void atEnd(InputStream input) {
        Thread.ofPlatform().daemon().name("brokermeter-caller").start(() -> {
            try {
                while (input.read() >= 0) {
                    // nothing is said on it
                }
            } catch (IOException e) {
                // as good as its end
            }
            if (!wasReceived()) {
                Signal.raise(new Signal("TERM"));
            }
        });
    }

    private static void handle(List<String> names, SignalHandler handler) {
        names.forEach(name -> handle(name, handler));
    }

    /** Returns the handler that was replaced. */
    private static Optional<SignalHandler> handle(String name, SignalHandler handler) {
        try {
            return Optional.of(Signal.handle(new Signal(name), handler));
        } catch (IllegalArgumentException e) {
            // The JVM reserves this signal (-Xrs), or the system has none of that name: its default action stays.
            return Optional.empty();
        }
    }

    /** Directs the first signal from now on to the given work. */
    public void runs(Interruptible begun) {
        synchronized (this) {
            work = begun;
        }
    }

    /** Returns whether any of these signals was received since the process began. */
    public static boolean wasReceived() {
        return received != 0;
    }

    /**
     * Lets each of these signals end the process at once from now on, for the time between two pieces of work.
     *
     * @return number of the last of these signals that was received before, at which the next piece of work must not begin; 0 for none
     */
    public static int between() {
        install(() -> {});
        return received;
    }

    private void received(int number) {
        received = number;
        int count = ends(number);
        if (count == 1) {
            return;
        }
        if (count > 1) {
            sleep(LAST_WORDS_MILLIS);
        }
        end(128 + number);
    }

    /** Ends the work: cleanly at the first call, and at once at further ones. Returns the number of the call; 0 for work that has not begun. */
    private int ends(int number) {
        int count = signals.incrementAndGet();
        Interruptible current;
        synchronized (this) {
            current = work;
        }
        if (current == null || !current.hasBegun()) {
            return 0;
        }
        if (count == 1) {
            current.stop(number);
        } else {
            current.abort();
        }
        return count;
    }

    /** Ends the process at once; does not return. */
    private void end(int status) {
        ending = true;
        Thread.ofPlatform().daemon().name("brokermeter-end").start(() -> {
            // In looks: a time for which this process stood still is not one that cleaning up had.
            for (long slept = 0; slept < HOOKS_MILLIS; slept += LOOK_MILLIS) {
                sleep(LOOK_MILLIS);
            }
            Runtime.getRuntime().halt(status);
        });
        cleanup.run();
        System.exit(status);
    }

    public static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ignores signals from now on: the process is about to end by itself. Does not return when a signal is ending the process already: a
     * failure at that time was caused by the signal, and the status of the process is that of the signal.
     */
    @Override
    public void close() {
        handle(SIGNALS, s -> received = s.getNumber());
        while (ending) {
            // a thread that interrupts this one wants an end, too
            Thread.interrupted();
            sleep(HOOKS_MILLIS);
        }
    }
}
