package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** A test's wait for what a process does in its own time. */
final class Waiting {

    private static final Duration LONGEST = Duration.ofSeconds(Tool.LIMIT_SECONDS);

    private Waiting() {}

    /** What is waited for. */
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Returns as soon as the condition holds, and fails when it does not within some minutes. */
    static void until(Condition condition) throws Exception {
        until("the wait is over", condition);
    }

    /** The same; a failure says what was waited for. */
    static void until(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
