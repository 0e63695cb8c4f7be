package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The limits of a run: the end of its warm-up, its own end, and the losses that do not fail it.
 *
 * @param warmup time for which samples count as warm-up; of one that lasts until the run has settled, its first part
 * @param duration time to send or receive, warm-up included; zero for no limit
 * @param drainTimeout longest time to wait at the end for confirmations and deliveries that are still due
 * @param interval length of a reporting interval
 * @param allowLoss whether lost messages are counted without failing the run
 * @param allowOverload whether sends that the broker refuses, and a backlog that grows all the time, do not fail the run
 * @param recovery how lost connections are restored, or null to end the run when one is lost
 * @param settles whether the warm-up is extended, at most twice by its first part, until the run has settled
 */
public record Limits(
        Duration warmup, Duration duration, Duration drainTimeout, Duration interval, boolean allowLoss,
        boolean allowOverload, @Nullable Recovery recovery, boolean settles) {

    /** The longest first part of a warm-up that lasts until the run has settled, and its share of the duration. */
    private static final Duration LONGEST_PART = Duration.ofSeconds(10);
    private static final int SHARE = 10;

    /** Returns the first part of the warm-up of a run of a duration that is to last until it has settled. */
    public static Duration firstPart(Duration duration) {
        Duration part = duration.dividedBy(SHARE);
        return part.compareTo(LONGEST_PART) < 0 ? part : LONGEST_PART;
    }

    /** Creates limits that permit no loss of messages or connections. */
    public Limits(Duration warmup, Duration duration, Duration drainTimeout, Duration interval) {
        this(warmup, duration, drainTimeout, interval, false, false, null, false);
    }

    /** Mutable components of {@link Limits}, by default without an end of the run. */
    public static final class Values {

        public Duration warmup = Duration.ZERO;
        public Duration duration = Duration.ZERO;
        public Duration drainTimeout = Duration.ofSeconds(10);
        public Duration interval = Duration.ofSeconds(1);
        public boolean allowLoss;
        public boolean allowOverload;
        public @Nullable Recovery recovery;
        public boolean settles;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Limits of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Limits(its.warmup, its.duration, its.drainTimeout, its.interval, its.allowLoss, its.allowOverload, its.recovery,
            its.settles);
    }

    /** Returns a copy of these limits in which {@code change} sets some components. */
    public Limits with(Consumer<Values> change) {
        return of(its -> {
            its.warmup = warmup;
            its.duration = duration;
            its.drainTimeout = drainTimeout;
            its.interval = interval;
            its.allowLoss = allowLoss;
            its.allowOverload = allowOverload;
            its.recovery = recovery;
            its.settles = settles;
            change.accept(its);
        });
    }
}
