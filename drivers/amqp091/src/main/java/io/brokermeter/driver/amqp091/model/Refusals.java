package io.brokermeter.driver.amqp091.model;

/**
 * Chooses which deliveries to give back: a given share of the first deliveries, evenly spread, and never one that comes again.
 * Used by one thread at a time.
 */
public final class Refusals {

    private final double share;
    private double owed;

    /** @param share from 0, none, to 1, every first delivery */
    public Refusals(double share) {
        this.share = share;
    }

    /** Whether to give back the delivery at hand. */
    public boolean next(boolean redelivered) {
        if (share <= 0 || redelivered) {
            return false;
        }
        owed += share;
        if (owed >= 1) {
            owed -= 1;
            return true;
        }
        return false;
    }
}
