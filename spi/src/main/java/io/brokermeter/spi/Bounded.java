package io.brokermeter.spi;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Runs a blocking call of a client library on a thread of its own, so that a broker that stopped answering cannot hold
 * the caller longer than a limit. A call that exceeds the limit is interrupted and left behind on its daemon thread. A time for which
 * this process stood still counts towards a limit as a tenth of a second, since the broker's answer may have come meanwhile.
 */
public final class Bounded {

    /** The interval at which the end of a wait is looked for, in nanoseconds. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);

    private Bounded() {}

    /** A wait with a limit of its own. */
    private interface Wait {

        /**
         * Waits for at most a time.
         *
         * @return whether the wait is over
         */
        boolean passes(long nanos) throws InterruptedException;
    }

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

    /**
     * Calls {@code work} and waits for its result, as {@link #call(Duration, String, Callable)} does.
     *
     * @param late disposes of a result that came after the limit, or that the interrupted caller did not take
     */
    public static <T> T call(Duration limit, String doing, Callable<T> work, Consumer<T> late) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().name("brokermeter " + doing).start(() -> {
            try {
                T made = work.call();
                if (!result.complete(made)) {
                    late.accept(made);
                }
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return get(result, limit, System::nanoTime);
        } catch (ExecutionException e) {
            throw thrown(e);
        } catch (TimeoutException e) {
            if (!result.cancel(false)) {
                // the result came just before it could be cancelled
                return ended(result);
            }
            thread.interrupt();
            var timeout = new TimeoutException("The broker did not answer within " + seconds(limit) + " s while " + doing + ".");
            timeout.initCause(e);
            throw timeout;
        } catch (InterruptedException e) {
            if (result.cancel(false)) {
                thread.interrupt();
            } else if (!result.isCompletedExceptionally()) {
                late.accept(result.join());
            }
            throw e;
        }
    }

    /**
     * Waits for a result.
     *
     * @param clock reads the time in nanoseconds
     * @throws TimeoutException when there was no result within {@code limit}
     */
    static <T> T get(CompletableFuture<T> result, Duration limit,
            LongSupplier clock) throws InterruptedException, ExecutionException, TimeoutException {
        if (!within(limit, clock, nanos -> isThere(result, nanos))) {
            throw new TimeoutException();
        }
        return result.get();
    }

    private static boolean isThere(CompletableFuture<?> result, long nanos) throws InterruptedException {
        try {
            result.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return result.isDone();
        }
    }

    /** Waits until a thread has ended, at most for {@code limit}, and returns whether it has. */
    public static boolean join(Thread thread, Duration limit) throws InterruptedException {
        return within(limit, System::nanoTime, nanos -> thread.join(Duration.ofNanos(nanos)));
    }

    private static boolean within(Duration limit, LongSupplier clock, Wait wait) throws InterruptedException {
        AwakeDeadline deadline = new AwakeDeadline(limit.toNanos(), clock);
        long left = limit.toNanos();
        while (!wait.passes(Math.min(left, LOOK))) {
            left = deadline.left();
            if (left <= 0) {
                return false;
            }
        }
        return true;
    }

    private static <T> T ended(CompletableFuture<T> result) throws Exception {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw thrown(e);
        }
    }

    private static Exception thrown(ExecutionException e) {
        return switch (e.getCause()) {
            case Exception cause -> cause;
            case Error cause -> throw cause;
            case null, default -> e;
        };
    }

    private static String seconds(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? Long.toString(limit.toSeconds()) : Double.toString(limit.toMillis() / 1e3);
    }
}
