package io.brokermeter.engine.pacing;

import java.util.Arrays;

/**
 * Changes of a rate while its schedules are followed. A schedule with changes is still a pure function of the index: an event that is due
 * after a change comes earlier or later by its factor, as on a clock that goes faster or slower from then on. A change must lie ahead of every
 * event that is being sent, so that all threads send each event by the same schedule. Thread-safe.
 */
public final class RateChanges {

    private static final int PARTS = 3;

    /** For each change its moment in nanoseconds since the epoch, and the numerator and denominator of its factor; never altered, but replaced. */
    private volatile long[] changes = new long[0];

    /** Multiplies the rate by {@code numerator / denominator} from a moment on, which is later than that of every earlier change. */
    public synchronized void add(long moment, int numerator, int denominator) {
        long[] more = Arrays.copyOf(changes, changes.length + PARTS);
        more[changes.length] = moment;
        more[changes.length + 1] = numerator;
        more[changes.length + 2] = denominator;
        changes = more;
    }

    /** Returns the number of changes so far. */
    public int count() {
        return changes.length / PARTS;
    }

    /** Returns the factor of all changes so far together. */
    public double factor() {
        long[] all = changes;
        double factor = 1;
        for (int i = 0; i < all.length; i += PARTS) {
            factor *= (double) all[i + 1] / all[i + 2];
        }
        return factor;
    }

    /**
     * Returns a schedule with all changes, also those to come.
     *
     * @param times the schedule without changes
     * @param start its start, in nanoseconds since the epoch
     */
    public FireTimes in(FireTimes times, long start) {
        return index -> {
            long at = times.at(index);
            long[] all = changes;
            for (int i = 0; i < all.length && at != FireTimes.NEVER; i += PARTS) {
                long from = Math.max(0, all[i] - start);
                if (at >= from) {
                    long after = at - from;
                    at = from + after / all[i + 1] * all[i + 2] + after % all[i + 1] * all[i + 2] / all[i + 1];
                }
            }
            return at;
        };
    }
}
