package io.brokermeter.experiment;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;

/**
 * Makes a scenario shorter or longer: multiplies numbers of messages, durations, and the times of events by the same factor.
 * Numbers and durations do not fall below the minimum that a measurement needs, unless they were below it before.
 *
 * @param factor the factor, above 0
 */
record Scale(double factor) {

    private static final long LEAST_MESSAGES = 1_000;
    private static final Duration LEAST_DURATION = Duration.ofSeconds(5);
    private static final Duration LEAST_PART = Duration.ofSeconds(1);

    Scenario of(Scenario scenario) {
        if (factor == 1) {
            return scenario;
        }
        Limits limits = scenario.limits();
        return scenario.but(its -> {
            its.producers = scenario.producers().stream().map(this::producers).toList();
            its.consumers = scenario.consumers().stream().map(this::consumers).toList();
            its.phases = scenario.phases().stream().map(this::phase).toList();
            its.limits = limits.but(limit -> {
                limit.warmup = time(limits.warmup(), LEAST_PART);
                limit.duration = time(limits.duration(), LEAST_DURATION);
            });
            its.faults = scenario.faults().stream().map(fault -> fault.withTimes(this::time)).toList();
        });
    }

    private ProducerSide producers(ProducerSide side) {
        return side.with(group -> {
            group.load = load(side.load());
            group.start = side.start().withTimes(this::time);
            group.messageCount = messages(side.messageCount());
        });
    }

    private ConsumerSide consumers(ConsumerSide side) {
        return side.with(group -> {
            group.start = side.start().withTimes(this::time);
            group.messageCount = messages(side.messageCount());
        });
    }

    private Phase phase(Phase phase) {
        Map<String, Load> loads = new LinkedHashMap<>();
        phase.loads().forEach((group, load) -> loads.put(group, load(load)));
        return new Phase(phase.name(), time(phase.length(), LEAST_PART), loads);
    }

    /** Scales a load of steps, whose stretches are parts of the run like phases; other shapes repeat themselves and stay unchanged. */
    private Load load(Load load) {
        if (!(load instanceof Load.Steps(List<Load.Stretch> stretches))) {
            return load;
        }
        return new Load.Steps(stretches.stream()
            .map(one -> new Load.Stretch(one.from(), one.to(), time(one.length(), LEAST_PART))).toList());
    }

    private long messages(long count) {
        return count == 0 ? 0 : Math.max(Math.min(count, LEAST_MESSAGES), Math.round(count * factor));
    }

    private Duration time(Duration time) {
        return time(time, Duration.ZERO);
    }

    private Duration time(Duration time, Duration least) {
        if (time.isZero()) {
            return time;
        }
        Duration scaled = Duration.ofMillis(Math.max(1, Math.round(time.toMillis() * factor)));
        Duration floor = time.compareTo(least) < 0 ? time : least;
        return scaled.compareTo(floor) < 0 ? floor : scaled;
    }
}
