package io.brokermeter.cluster.clock;

import java.util.LinkedHashMap;
import java.util.Map;

/** The requests that were answered already: a window of 64 sequence numbers for each of the clients seen last. Thread-safe. */
final class Replays {

    static final int MOST_CLIENTS = 4_096;
    private static final int WINDOW = Long.SIZE;

    private static final class Seen {
        long highest;
        /** Bit i stands for the sequence number {@code highest - i}. */
        long bits;
    }

    private final Map<Long, Seen> clients = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Seen> eldest) {
            return size() > MOST_CLIENTS;
        }
    };

    /** Returns whether this request is the first with its sequence number, and records it. Numbers older than the window count as seen. */
    synchronized boolean first(long client, long sequence) {
        if (sequence <= 0) {
            return false;
        }
        Seen seen = clients.computeIfAbsent(client, _ -> new Seen());
        if (sequence > seen.highest) {
            long by = sequence - seen.highest;
            seen.bits = by >= WINDOW ? 1 : seen.bits << by | 1;
            seen.highest = sequence;
            return true;
        }
        long back = seen.highest - sequence;
        if (back >= WINDOW || (seen.bits >>> back & 1) != 0) {
            return false;
        }
        seen.bits |= 1L << back;
        return true;
    }
}
