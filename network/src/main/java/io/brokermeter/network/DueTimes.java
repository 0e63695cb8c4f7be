package io.brokermeter.network;

import java.util.SplittableRandom;

/**
 * When what passes one direction is due by a rule: behind the bottleneck, after its distance, and never before what went ahead of it. One
 * thread. All moments are those of {@link System#nanoTime()}.
 */
final class DueTimes {

    private final Bottleneck bottleneck;
    private final SplittableRandom random;
    private long lastDue = Long.MIN_VALUE;

    DueTimes(Bottleneck bottleneck, SplittableRandom random) {
        this.bottleneck = bottleneck;
        this.random = random;
    }

    /** The moment at which a number of bytes arrive that are taken now. */
    long next(NetworkRule rule, int bytes, long now) {
        long sent = rule.bandwidth() == 0 ? now : bottleneck.pass(rule, bytes, now);
        long jitter = rule.jitter().toNanos() / 2;
        lastDue = Math.max(lastDue, sent + rule.oneWayNanos() + (jitter == 0 ? 0 : random.nextLong(-jitter, jitter + 1)));
        return lastDue;
    }
}
