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
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - begun;
            if (waited > limit.toNanos()) {
                return condition.getAsBoolean();
            }
            // what has not come for a second is looked for less often, since a condition may ask the broker
            LockSupport.parkNanos(Math.clamp(waited / 50, 1_000_000, 20_000_000));
        }
        return true;
    }
}
