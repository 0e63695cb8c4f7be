package io.brokermeter.engine.scenario;

import java.time.Duration;

/**
 * When a run changes phase and ends.
 *
 * @param warmup how long samples count as warm-up
 * @param duration how long to send or receive, warm-up included; zero for no limit
 * @param drainTimeout how long to wait at the end for confirmations and deliveries that are still due
 * @param interval length of a reporting interval
 */
public record Limits(Duration warmup, Duration duration, Duration drainTimeout, Duration interval) {}
