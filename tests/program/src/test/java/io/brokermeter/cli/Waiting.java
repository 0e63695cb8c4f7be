package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** Waits for conditions that depend on other processes. */
final class Waiting {

    private static final Duration LONGEST = Duration.ofSeconds(Tool.LIMIT_SECONDS);

    private Waiting() {}

    /** A condition that a test waits for. */
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits until the condition holds; fails after some minutes. */
    static void until(Condition condition) throws Exception {
        until("the wait is over", condition);
    }

    /** Waits until the condition holds; fails after some minutes, with {@code what} in the message. */
    static void until(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
