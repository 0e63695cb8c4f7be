package io.brokermeter.driver.amqp091.model;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The loop of a polled consumer. The protocol answers at once, even if there is no message. */
public final class PollLoop {

    private static final long SHORTEST_PAUSE = 500_000;
    private static final long LONGEST_PAUSE = 5_000_000;

    private PollLoop() {}

    /**
     * Requests one message after the other until the limit has passed; if there is none, repeats the request after a pause.
     *
     * @param over whether to stop requesting; the rest of the limit is then waited for
     * @param fetch requests a message, and returns whether there was one
     */
    public static void poll(Duration limit, BooleanSupplier over, Callable<Boolean> fetch) throws Exception {
        long end = System.nanoTime() + limit.toNanos();
        long pause = SHORTEST_PAUSE;
        for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
            if (over.getAsBoolean()) {
                LockSupport.parkNanos(end - now);
                return;
            }
            if (fetch.call()) {
                pause = SHORTEST_PAUSE;
            } else if (!over.getAsBoolean()) {
                LockSupport.parkNanos(Math.min(pause, end - now));
                pause = Math.min(pause * 2, LONGEST_PAUSE);
            }
        }
    }
}
