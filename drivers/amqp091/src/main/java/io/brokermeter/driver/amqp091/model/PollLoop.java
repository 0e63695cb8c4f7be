package io.brokermeter.driver.amqp091.model;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** How a consumer polls: the protocol answers at once, also when there is no message. */
public final class PollLoop {

    private static final long SHORTEST_PAUSE = 500_000;
    private static final long LONGEST_PAUSE = 5_000_000;

    private PollLoop() {}

    /**
     * Asks for one message after the other until a time is over; while there is none it asks again after a pause.
     *
     * @param over whether nothing is to be asked for any more
     * @param fetch returns whether there was a message
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
