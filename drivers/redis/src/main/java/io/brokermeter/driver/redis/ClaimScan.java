package io.brokermeter.driver.redis;

import java.time.Duration;

/**
 * The position of a repeated scan of a group's unacknowledged messages for those that lost members left behind. Used by the thread that
 * reads.
 */
final class ClaimScan {

    private static final String BEGIN = "0-0";

    private final Duration limit;
    private long next;
    private String from = BEGIN;

    /** @param limit how long a message is unacknowledged before another member takes it over; scans are four times as frequent */
    ClaimScan(Duration limit) {
        this.limit = limit;
    }

    long limitMillis() {
        return limit.toMillis();
    }

    /** Makes the first scan due now. */
    void begin() {
        next = System.nanoTime();
    }

    boolean isDue() {
        return System.nanoTime() - next >= 0;
    }

    /** Returns the id at which the scan goes on. */
    String from() {
        return from;
    }

    /** Records the id at which the scan goes on; returns whether it has come to its end. */
    boolean endsAt(String id) {
        from = id;
        return id.equals(BEGIN);
    }

    /** Lets the next scan wait for its time. */
    void pause() {
        next = System.nanoTime() + limit.toNanos() / 4;
    }
}
