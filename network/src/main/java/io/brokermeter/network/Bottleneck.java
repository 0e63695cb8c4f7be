package io.brokermeter.network;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The bandwidth of one direction, and the queue before it, in which everything stands in the order in which it came. Connections that share
 * it have equal parts of the queue, so that each gets an equal part of the bandwidth as long as it has something to send. One thread. All
 * moments are those of {@link System#nanoTime()}.
 */
final class Bottleneck {

    private static final long NANOS = 1_000_000_000L;
    private static final double LEAST_PACKETS = 32;

    private long freeAt = Long.MIN_VALUE;
    /** Those that have something in the queue, in the order of the moments at which the last of it has passed. */
    private final Set<Share> users = new LinkedHashSet<>();

    /** The moment at which a number of bytes have passed that are taken now. */
    long pass(NetworkRule rule, int bytes, long now) {
        freeAt = Math.max(now, freeAt) + (long) Math.ceil(8.0 * bytes * NANOS / rule.bandwidth());
        return freeAt;
    }

    /** What a router keeps at most, in bytes: what passes in one round trip, as the usual rule says, and some packets. */
    static double queue(NetworkRule rule, int packet) {
        return Math.max(LEAST_PACKETS * packet, bytes(rule, rule.rtt().toNanos()));
    }

    /** What has not yet passed, in bytes. */
    double waiting(NetworkRule rule, long now) {
        return freeAt <= now ? 0 : bytes(rule, freeAt - now);
    }

    /** What passes in a time, in bytes. */
    static double bytes(NetworkRule rule, long nanos) {
        return (double) rule.bandwidth() * nanos / (8.0 * NANOS);
    }

    /** What one connection has of the queue. */
    final class Share {

        /** Up to where its bytes have passed when. */
        private final Marks passing = new Marks();
        private long taken;
        private long passed;
        private long lastPasses;

        /**
         * How many bytes it may add now; not more than 0 for none. One that has nothing in the queue may always add a packet, so with many connections
         * there may be more in the queue than a router would keep.
         *
         * @param packet bytes of a packet
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

        /** Adds what was {@linkplain #pass given} to the bottleneck last. */
        void add(int bytes) {
            taken += bytes;
            lastPasses = freeAt;
            passing.add(taken, freeAt);
            users.remove(this);
            users.add(this);
        }

        /** When the first of it has passed; {@link DelayedBytes#NEVER} when there is none. */
        long nextPasses() {
            return passing.nextMoment();
        }

        /** It adds nothing any more. */
        void leave() {
            users.remove(this);
        }
    }
}
