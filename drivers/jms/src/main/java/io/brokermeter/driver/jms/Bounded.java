package io.brokermeter.driver.jms;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Runs a blocking call of a client library on a thread of its own, so that a broker that stopped answering cannot hold
 * the caller longer than a limit. A call that is given up is interrupted and left behind on its daemon thread.
 */
public final class Bounded {

    private Bounded() {}

    /**
     * Calls {@code work} and waits for its result.
     *
     * @param doing what is being done, for the message of the exception: "creating a producer on queue://A"
     * @throws TimeoutException when there was no result within {@code limit}
     * @throws Exception what {@code work} threw
     */
    public static <T> T call(Duration limit, String doing, Callable<T> work) throws Exception {
        return call(limit, doing, work, late -> {});
    }

    /** The same; {@code late} gets the result that came after the limit, to dispose of it. */
    public static <T> T call(Duration limit, String doing, Callable<T> work, Consumer<T> late) throws Exception {
        var task = new FutureTask<T>(work);
        var givenUp = new AtomicReference<Boolean>();
        var thread = Thread.ofPlatform().daemon().name("brokermeter " + doing).unstarted(() -> {
            task.run();
            if (!givenUp.compareAndSet(null, false)) {
                dispose(task, late);
            }
        });
        thread.start();
        try {
            return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        } catch (TimeoutException e) {
            giveUp(task, thread, givenUp, late);
            var timeout = new TimeoutException(
                "The broker did not answer within " + seconds(limit) + " s while " + doing + ".");
            timeout.initCause(e);
            throw timeout;
        } catch (InterruptedException e) {
            giveUp(task, thread, givenUp, late);
            throw e;
        }
    }

    private static <T> void giveUp(
            FutureTask<T> task, Thread thread, AtomicReference<Boolean> givenUp, Consumer<T> late) {
        if (givenUp.compareAndSet(null, true)) {
            thread.interrupt();
        } else {
            dispose(task, late);
        }
    }

    private static <T> void dispose(FutureTask<T> task, Consumer<T> late) {
        try {
            late.accept(task.get());
        } catch (ExecutionException | InterruptedException | RuntimeException e) {
            // it came to nothing after all: there is nothing to dispose of
        }
    }

    private static String seconds(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? Long.toString(limit.toSeconds()) : Double.toString(limit.toMillis() / 1e3);
    }
}
