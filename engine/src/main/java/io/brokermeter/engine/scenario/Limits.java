package io.brokermeter.engine.scenario;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * When a run changes phase, when it ends, and what of its end is no failure.
 *
 * @param warmup how long samples count as warm-up
 * @param duration how long to send or receive, warm-up included; zero for no limit
 * @param drainTimeout how long to wait at the end for confirmations and deliveries that are still due
 * @param interval length of a reporting interval
 * @param allowLoss whether lost messages are counted without failing the run
 * @param recovery how lost connections are made anew, or null to end the run when one is lost
 */
public record Limits(
        Duration warmup, Duration duration, Duration drainTimeout, Duration interval, boolean allowLoss,
        @Nullable Recovery recovery) {

    /** Without leave to lose messages or connections. */
    public Limits(Duration warmup, Duration duration, Duration drainTimeout, Duration interval) {
        this(warmup, duration, drainTimeout, interval, false, null);
    }
}
