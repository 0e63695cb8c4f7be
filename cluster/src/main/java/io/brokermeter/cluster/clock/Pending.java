package io.brokermeter.cluster.clock;

import java.util.concurrent.atomic.AtomicLongArray;

/** The requests that wait for their answers, at most the last thousand: one thread puts them, another takes each once. */
final class Pending {

    /** Returned instead of a moment for a sequence number that does not wait. */
    static final long NONE = Long.MIN_VALUE;
    private static final int ROOM = 1_024;

    private final AtomicLongArray sequences = new AtomicLongArray(ROOM);
    private final AtomicLongArray moments = new AtomicLongArray(ROOM);

    void put(long sequence, long moment) {
        int at = (int) (sequence % ROOM);
        sequences.set(at, 0);
        moments.set(at, moment);
        sequences.set(at, sequence);
    }

    /** Removes a request that was not answered before and returns its moment, or returns {@link #NONE}. */
    long take(long sequence) {
        if (sequence <= 0) {
            return NONE;
        }
        int at = (int) (sequence % ROOM);
        if (sequences.get(at) != sequence) {
            return NONE;
        }
        long moment = moments.get(at);
        return sequences.compareAndSet(at, sequence, 0) ? moment : NONE;
    }
}
