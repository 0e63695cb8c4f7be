package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * When a run changes phase, when it ends, and what of its end is no failure.
 *
 * @param warmup how long samples count as warm-up
 * @param duration how long to send or receive, warm-up included; zero for no limit
 * @param drainTimeout how long to wait at the end for confirmations and deliveries that are still due
 * @param interval length of a reporting interval
 * @param allowLoss whether lost messages are counted without failing the run
 * @param recovery how lost connections are restored, or null to end the run when one is lost
 */
public record Limits(
        Duration warmup, Duration duration, Duration drainTimeout, Duration interval, boolean allowLoss,
        @Nullable Recovery recovery) {

    /** Without leave to lose messages or connections. */
    public Limits(Duration warmup, Duration duration, Duration drainTimeout, Duration interval) {
        this(warmup, duration, drainTimeout, interval, false, null);
    }

    /** What they are made of by name; without an end as long as they are not set. */
    public static final class Values {

        public Duration warmup = Duration.ZERO;
        public Duration duration = Duration.ZERO;
        public Duration drainTimeout = Duration.ofSeconds(10);
        public Duration interval = Duration.ofSeconds(1);
        public boolean allowLoss;
        public @Nullable Recovery recovery;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Limits of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Limits(its.warmup, its.duration, its.drainTimeout, its.interval, its.allowLoss, its.recovery);
    }

    /** The same but for what {@code change} sets. */
    public Limits but(Consumer<Values> change) {
        return of(its -> {
            its.warmup = warmup;
            its.duration = duration;
            its.drainTimeout = drainTimeout;
            its.interval = interval;
            its.allowLoss = allowLoss;
            its.recovery = recovery;
            change.accept(its);
        });
    }
}
