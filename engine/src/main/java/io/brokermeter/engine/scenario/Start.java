package io.brokermeter.engine.scenario;

import java.time.Duration;

/**
 * When a group begins.
 *
 * @param delay how long after the run's start
 * @param afterProducers whether it waits until every producer has ended, so that a backlog is there; then the delay counts
 *     from that moment. Only for consumers
 * @param ramp over how long its connections are made, evenly; zero for all at once
 */
public record Start(Duration delay, boolean afterProducers, Duration ramp) {

    /** With the run, all at once. */
    public static final Start AT_ONCE = new Start(Duration.ZERO, false, Duration.ZERO);

    public Start {
        if (delay.isNegative() || ramp.isNegative()) {
            throw new UsageException("A start delay or a ramp must not be negative.");
        }
    }

    /** So long after the run's start, all at once. */
    public static Start after(Duration delay) {
        return new Start(delay, false, Duration.ZERO);
    }

    /** Whether it is there when the run starts. */
    public boolean isWithRun() {
        return delay.isZero() && !afterProducers;
    }
}
