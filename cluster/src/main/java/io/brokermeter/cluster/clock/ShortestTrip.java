package io.brokermeter.cluster.clock;

/** The shortest round trip of about the last minute. Not thread-safe. */
final class ShortestTrip {

    private long since;
    private long shortest = Long.MAX_VALUE;
    private long before = Long.MAX_VALUE;

    /** Adds a round trip that ended {@code at} a moment; both in nanoseconds. */
    void add(long at, long trip) {
        if (at - since > OffsetBand.WINDOW / 2) {
            since = at;
            before = shortest;
            shortest = Long.MAX_VALUE;
        }
        shortest = Math.min(shortest, trip);
    }

    /** Returns the shortest round trip in nanoseconds; {@link Long#MAX_VALUE} before the first. */
    long nanos() {
        return Math.min(shortest, before);
    }
}
