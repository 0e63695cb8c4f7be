package io.brokermeter.cluster.clock;

import java.util.concurrent.atomic.AtomicLongArray;

/** Requests that wait for their answer, the last thousand: one thread puts them, another takes each once. */
final class Pending {

    /** What a number that waits no more has in place of its moment. */
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

    /** The moment of a request that was not answered before, or {@link #NONE}. */
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
