package io.brokermeter.network;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The limited bandwidth of one direction, with a first-in-first-out queue in front of it. Connections that share the bottleneck have
 * equal parts of the queue, so that each gets an equal part of the bandwidth as long as it has something to send. Used by one thread.
 * All moments are those of {@link System#nanoTime()}.
 */
final class Bottleneck {

    private static final long NANOS = 1_000_000_000L;
    private static final double LEAST_PACKETS = 32;

    private long freeAt = Long.MIN_VALUE;
    /** The connections with bytes in the queue, in the order of the moments at which their last byte has passed. */
    private final Set<Share> users = new LinkedHashSet<>();

    /** Puts bytes at the end of the queue at the moment {@code now}, and returns the moment at which the last of them has passed. */
    long pass(NetworkRule rule, int bytes, long now) {
        freeAt = Math.max(now, freeAt) + (long) Math.ceil(8.0 * bytes * NANOS / rule.bandwidth());
        return freeAt;
    }

    /**
     * Returns the size of a router's queue, in bytes: as many as pass in one round trip, which is the usual rule, but at least 32 packets.
     */
    static double queue(NetworkRule rule, int packet) {
        return Math.max(LEAST_PACKETS * packet, bytes(rule, rule.rtt().toNanos()));
    }

    /** Returns the length of the queue, in bytes that have not yet passed. */
    double waiting(NetworkRule rule, long now) {
        return freeAt <= now ? 0 : bytes(rule, freeAt - now);
    }

    /** Returns the number of bytes that pass in a time. */
    static double bytes(NetworkRule rule, long nanos) {
        return (double) rule.bandwidth() * nanos / (8.0 * NANOS);
    }

    /** The part of one connection in the queue. */
    final class Share {

        /** The positions up to which the connection's bytes have passed, each with the moment. */
        private final TimedOffsets passing = new TimedOffsets();
        private long taken;
        private long passed;
        private long lastPasses;

        /**
         * Returns the number of bytes that the connection may add now; 0 or less for none. A connection without bytes in the queue may
         * always add a packet, so with many connections the queue may be longer than that of a router.
         *
         * @param packet size of a packet in bytes
         */
        long room(NetworkRule rule, int packet, long now) {
            passed = passing.reached(now, passed);
            passing.drop(passed, now);
            while (!users.isEmpty() && users.iterator().next().lastPasses <= now) {
                users.remove(users.iterator().next());
            }
            int all = users.size() + (users.contains(this) ? 0 : 1);
            return Math.max(packet, (long) queue(rule, packet) / all) - (taken - passed);
        }

        /** Counts the bytes that were {@linkplain #pass put} into the queue last as this connection's. */
        void add(int bytes) {
            taken += bytes;
            lastPasses = freeAt;
            passing.add(taken, freeAt);
            users.remove(this);
            users.add(this);
        }

        /** Returns the moment at which the first of the connection's bytes have passed; {@link DelayedBytes#NEVER} when there are none. */
        long nextPasses() {
            return passing.nextMoment();
        }

        /** Removes the connection, which adds no more bytes, from those that share the queue. */
        void leave() {
            users.remove(this);
        }
    }
}
