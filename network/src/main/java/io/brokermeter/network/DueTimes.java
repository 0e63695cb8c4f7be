package io.brokermeter.network;

import java.util.SplittableRandom;

/**
 * When what passes one direction is due by a rule: behind a line of its bandwidth, after its distance, and never before what went ahead of
 * it. One thread. All moments are those of {@link System#nanoTime()}.
 */
final class DueTimes {

    private static final long NANOS = 1_000_000_000L;
    private static final double LEAST_PACKETS = 32;

    private final int packet;
    private final SplittableRandom random;
    private long lineFreeAt = Long.MIN_VALUE;
    private long lastDue = Long.MIN_VALUE;

    /** @param packet bytes of a packet */
    DueTimes(int packet, SplittableRandom random) {
        this.packet = packet;
        this.random = random;
    }

    /** The moment at which a number of bytes arrive that are taken now. */
    long next(NetworkRule rule, int bytes, long now) {
        long sent = now;
        if (rule.bandwidth() != 0) {
            sent = Math.max(now, lineFreeAt) + (long) Math.ceil(8.0 * bytes * NANOS / rule.bandwidth());
            lineFreeAt = sent;
        }
        long jitter = rule.jitter().toNanos() / 2;
        lastDue = Math.max(lastDue, sent + rule.oneWayNanos() + (jitter == 0 ? 0 : random.nextLong(-jitter, jitter + 1)));
        return lastDue;
    }

    /** What a router of that line keeps at most, in bytes: what passes it in one round trip, as the usual rule says, and some packets. */
    double queue(NetworkRule rule) {
        return Math.max(LEAST_PACKETS * packet, bytes(rule, rule.rtt().toNanos()));
    }

    /** What has not yet passed the line, in bytes. */
    double waiting(NetworkRule rule, long now) {
        return lineFreeAt <= now ? 0 : bytes(rule, lineFreeAt - now);
    }

    /** What passes the line in a time. */
    static double bytes(NetworkRule rule, long nanos) {
        return (double) rule.bandwidth() * nanos / (8.0 * NANOS);
    }
}
