package io.brokermeter.network;

import java.util.SplittableRandom;

/**
 * Computes the moments at which bytes of one direction are due by a rule: after the bottleneck, the delay and the jitter, and never before
 * the bytes in front of them. Used by one thread. All moments are those of {@link System#nanoTime()}.
 */
final class DueTimes {

    private final Bottleneck bottleneck;
    private final SplittableRandom random;
    private long lastDue = Long.MIN_VALUE;

    DueTimes(Bottleneck bottleneck, SplittableRandom random) {
        this.bottleneck = bottleneck;
        this.random = random;
    }

    /** Returns the moment at which bytes arrive that are sent at the moment {@code now}. */
    long next(NetworkRule rule, int bytes, long now) {
        long sent = rule.bandwidth() == 0 ? now : bottleneck.pass(rule, bytes, now);
        long jitter = rule.jitter().toNanos() / 2;
        lastDue = Math.max(lastDue, sent + rule.oneWayNanos() + (jitter == 0 ? 0 : random.nextLong(-jitter, jitter + 1)));
        return lastDue;
    }
}
