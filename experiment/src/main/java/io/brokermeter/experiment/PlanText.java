package io.brokermeter.experiment;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Counted;

/** Describes trials for the output of {@code --dry-run}. */
public final class PlanText {

    /** The estimated times that a trial takes besides its load: for a broker, and for its process and its end; rather too long. */
    private static final Duration BROKER = Duration.ofSeconds(6);
    private static final Duration REST = Duration.ofSeconds(2);

    private PlanText() {}

    /** Estimates the duration of a trial, including the start of a broker; empty when it depends on the broker's speed. */
    public static Optional<Duration> estimate(Trial trial) {
        Scenario scenario = trial.workload().scenario();
        Duration length = scenario.length();
        if (scenario.phases().isEmpty() && scenario.sends() && scenario.limitsSends()) {
            Duration longest = Duration.ZERO;
            for (ProducerGroupSpec side : scenario.producers()) {
                if (!(side.load() instanceof Load.Constant(var rate))) {
                    longest = Duration.ZERO;
                    break;
                }
                Duration own = Duration.ofMillis((long) (side.messageCount() / rate.perSecond() * 1000));
                longest = own.compareTo(longest) > 0 ? own : longest;
            }
            length = length.isZero() || !longest.isZero() && longest.compareTo(length) < 0 ? longest : length;
        }
        if (length.isZero()) {
            return Optional.empty();
        }
        Duration load = length;
        Duration last = scenario.consumers().stream().filter(side -> side.startsAfter(load, true))
            .map(side -> side.start().afterProducers() ? load.plus(side.start().delay()) : side.start().delay())
            .max(Comparator.naturalOrder()).orElse(load);
        return Optional.of(last.plus(REST).plus(trial.broker() == null ? Duration.ZERO : BROKER));
    }

    /** Returns a short description of a group of producers: its load, the size of its messages, and their number where it is limited. */
    public static String load(ProducerGroupSpec side, Scenario scenario) {
        return load(side.load(), scenario) + ", " + (side.messages().content().verbatim()
            ? ScenarioTexts.content(side.messages().content()).lines().findFirst().orElse("")
            : "size " + ScenarioTexts.sizes(side.messages().sizes()))
            + (side.messageCount() == 0 ? "" : ", " + Counted.of(side.messageCount(), "message"));
    }

    private static String load(Load load, Scenario scenario) {
        return load instanceof Load.AllOut && !scenario.phases().isEmpty() ? "load of the phases" : ScenarioTexts.load(load);
    }
}
