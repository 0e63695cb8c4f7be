package io.brokermeter.driver.kafka;

import java.time.Duration;

/**
 * The time that the clients of a connection may wait for answers while they are closed. The first client that waits in vain may use the
 * whole limit; after that, all the others together may use a tenth of it, so that their number does not matter. Thread-safe.
 */
final class ClosePatience {

    /** The longest time for one client after another one waited in vain. */
    private static final Duration MOMENT = Duration.ofMillis(100);

    private final Duration limit;
    private boolean usedUp;
    private long rest;

    ClosePatience(Duration limit) {
        this.limit = limit;
        this.rest = limit.toNanos() / 10;
    }

    /** Notes that a client waited in vain. */
    synchronized void useUp() {
        usedUp = true;
    }

    synchronized boolean isUsedUp() {
        return usedUp;
    }

    /** Returns how long the next client may wait. */
    synchronized Duration left() {
        return usedUp ? Duration.ofNanos(Math.clamp(rest, 0, MOMENT.toNanos())) : limit;
    }

    /**
     * Returns how long the next producer may wait: not at all after another client waited in vain, since that time was also available for
     * answers to the producer's own sends. A few milliseconds would not do either: if a limit runs out just before Kafka's client begins to
     * wait, the client waits for the end of its thread, which may take two minutes.
     */
    synchronized Duration leftForProducer() {
        return usedUp ? Duration.ZERO : limit;
    }

    /** Notes how long a client took to close, given a limit. */
    synchronized void waited(Duration given, long nanos) {
        if (usedUp) {
            rest -= nanos;
        } else if (nanos >= given.toNanos()) {
            usedUp = true;
        }
    }
}
