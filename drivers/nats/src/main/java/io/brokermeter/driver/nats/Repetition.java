package io.brokermeter.driver.nats;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs what the clients of all connections repeat, such as pings, with a delay behind each time where they ask for a fixed rate. After a
 * standstill of the process a fixed rate would send all pings of that time at once, and the client would take a connection for lost
 * whose server had no time to answer them.
 */
final class Repetition extends ScheduledThreadPoolExecutor {

    /** The number of threads: a client that waits to write a ping must not hold up the others. */
    private static final int THREADS = 4;

    /** The executor of all connections, whose threads hold up no end of the JVM. */
    static final ScheduledExecutorService OF_ALL = new Repetition();

    private Repetition() {
        super(THREADS, Thread.ofVirtual().name("nats-repetition").factory());
        setRemoveOnCancelPolicy(true);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(command, initialDelay, period, unit);
    }
}
