package io.brokermeter.driver.amqp091.model;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Runs what has no time limit of its own in a thread of its own, and waits so long only. */
public final class Bounded {

    private Bounded() {}

    /**
     * Calls {@code work}.
     *
     * @param late takes what comes when nobody waits any more
     * @throws TimeoutException when it takes longer than {@code limit}
     * @throws Exception what {@code work} throws
     */
    public static <T> T call(Duration limit, String thread, Callable<T> work, Consumer<T> late) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name(thread).start(() -> {
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
            return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        } finally {
            result.cancel(false);
        }
    }
}
