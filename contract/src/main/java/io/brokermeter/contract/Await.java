package io.brokermeter.contract;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions. */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Await() {}

    /** Waits until the condition holds; fails with {@code state} in the message after 60 s. */
    public static void until(BooleanSupplier condition, Supplier<String> state) {
        until(LIMIT, condition, state);
    }

    /** Waits until the condition holds; fails with {@code state} in the message after {@code limit}. */
    public static void until(Duration limit, BooleanSupplier condition, Supplier<String> state) {
        if (!holdsWithin(limit, condition)) {
            throw new AssertionError("After " + limit.toMillis() + " ms: " + state.get());
        }
    }

    /** Waits until the condition holds, at most for a limit, and returns whether it does. */
    public static boolean holdsWithin(Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return condition.getAsBoolean();
            }
            LockSupport.parkNanos(1_000_000);
        }
        return true;
    }
}
