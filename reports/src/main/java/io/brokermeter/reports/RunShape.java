package io.brokermeter.reports;

import java.time.Duration;
import java.util.List;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;

/**
 * Which lines and keys a run has at all, and how far it is meant to go.
 *
 * @param id the run's name, empty for none
 * @param sends whether the run has producers
 * @param receives whether the run has consumers
 * @param scheduled whether sends have a target rate, so that there is a send delay
 * @param duration planned length with the warm-up, zero for no limit
 * @param seed of everything that is random, 0 when nothing is
 * @param messageCount planned messages, sent or, in a run without producers, received; 0 for no limit
 */
public record RunShape(
        String id, boolean sends, boolean receives, boolean scheduled, Duration duration, long messageCount,
        long seed) {

    /** The shape of a run without a name. */
    public RunShape(boolean sends, boolean receives, boolean scheduled, Duration duration, long messageCount) {
        this("", sends, receives, scheduled, duration, messageCount, 0);
    }

    public static RunShape of(Scenario scenario) {
        long count = scenario.sends() ? sum(scenario.producers().stream().map(ProducerSide::messageCount).toList())
            : sum(scenario.consumers().stream().map(ConsumerSide::messageCount).toList());
        return new RunShape(scenario.id(), scenario.sends(), scenario.receives(), scenario.scheduled(), scenario.length(), count,
            scenario.seed());
    }

    /** The counts together; no limit when one of them has none. */
    private static long sum(List<Long> counts) {
        return counts.contains(0L) ? 0 : counts.stream().mapToLong(Long::longValue).sum();
    }
}
