package io.brokermeter.driver.kafka;

import java.time.Duration;

/**
 * How long the clients of a connection may wait for answers while they are closed. The first one that waits in vain may take the whole
 * limit; all the others together take a tenth of it then, so that it does not matter how many there are. Thread-safe.
 */
final class ClosePatience {

    /** What one client may take then at most. */
    private static final Duration MOMENT = Duration.ofMillis(100);

    private final Duration limit;
    private boolean usedUp;
    private long rest;

    ClosePatience(Duration limit) {
        this.limit = limit;
        this.rest = limit.toNanos() / 10;
    }

    /** A client waited in vain. */
    synchronized void useUp() {
        usedUp = true;
    }

    synchronized boolean isUsedUp() {
        return usedUp;
    }

    /** How long the next client may wait. */
    synchronized Duration left() {
        return usedUp ? Duration.ofNanos(Math.clamp(rest, 0, MOMENT.toNanos())) : limit;
    }

    /**
     * The same for a producer: nothing once another client waited in vain, in which time its own sends could be answered as well. Kafka's
     * client waits for the end of its thread, which may be two minutes away, when a limit runs out just before it begins to wait, as one
     * of milliseconds may.
     */
    synchronized Duration leftForProducer() {
        return usedUp ? Duration.ZERO : limit;
    }

    /** A client that was given a limit took so long. */
    synchronized void waited(Duration given, long nanos) {
        if (usedUp) {
            rest -= nanos;
        } else if (nanos >= given.toNanos()) {
            usedUp = true;
        }
    }
}
