package io.brokermeter.reports.directory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.message.Sizes;
import org.jspecify.annotations.Nullable;

/** Describes a scenario in a few numbers, with units in the names. */
public final class WorkloadFacts {

    private WorkloadFacts() {}

    /** Returns the facts by name. A fact that is not one number, since groups differ or the load has a shape, is null. */
    static Map<String, @Nullable Object> of(Scenario scenario) {
        List<ProducerGroupSpec> producers = scenario.producers();
        List<ConsumerGroupSpec> consumers = scenario.consumers();
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("destinations", scenario.destinations().size());
        facts.put("producers", producers.stream().mapToLong(ProducerGroupSpec::size).sum());
        facts.put("consumers", consumers.stream().mapToLong(ConsumerGroupSpec::size).sum());
        facts.put("messageBytes", same(producers,
            side -> side.messages().sizes() instanceof Sizes.Fixed(int bytes) && !side.messages().content().verbatim() ? bytes : null));
        facts.put("persistent", same(producers, side -> side.messages().persistent()));
        facts.put("maxPending", same(producers, ProducerGroupSpec::maxPending));
        facts.put("load", scenario.phases().isEmpty() ? same(producers, side -> name(side.load())) : "phases");
        facts.put("ratePerSecond", ratePerSecond(scenario));
        facts.put("plannedMessages", scenario.plannedMessages() == 0 ? null : scenario.plannedMessages());
        facts.put("durationSeconds", scenario.length().isZero() ? null : seconds(scenario.length()));
        facts.put("warmupSeconds", seconds(scenario.limits().warmup()));
        facts.put("intervalSeconds", seconds(scenario.limits().interval()));
        facts.put("producersStartSeconds", same(producers, side -> seconds(side.start().delay())));
        facts.put("publishesCounts", consumers.stream().anyMatch(side -> side.summarizer() != null));
        facts.put("consumersStartSeconds", consumersStart(consumers));
        facts.put("processingMeanMicros", same(consumers, side -> side.processing().isNone() ? null : mean(side.processing())));
        facts.put("seed", scenario.seed());
        return facts;
    }

    /**
     * Returns the start delay of the first consumers, in seconds from the start of the run; null where some start with the run, or none
     * before the producers have ended.
     */
    private static @Nullable Double consumersStart(List<ConsumerGroupSpec> consumers) {
        Duration first = consumers.stream().map(ConsumerGroupSpec::start).filter(start -> !start.afterProducers()).map(Start::delay)
            .min(Comparator.naturalOrder()).orElse(Duration.ZERO);
        return first.isZero() ? null : seconds(first);
    }

    /** Returns the mean of a processing time, in microseconds. */
    private static double mean(TimeLaw processing) {
        return switch (processing) {
            case TimeLaw.Constant(Duration time) -> time.toNanos() / 1e3;
            case TimeLaw.Uniform(Duration shortest, Duration longest) -> shortest.toNanos() / 2e3 + longest.toNanos() / 2e3;
            case TimeLaw.Exponential(Duration mean) -> mean.toNanos() / 1e3;
        };
    }

    private static <T> @Nullable Object same(List<T> sides, Function<T, @Nullable Object> fact) {
        List<@Nullable Object> all = new ArrayList<>();
        sides.forEach(side -> all.add(fact.apply(side)));
        return all.stream().distinct().count() == 1 ? all.getFirst() : null;
    }

    private static String name(Load load) {
        return load instanceof Load.AllOut ? "unlimited" : load.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Returns the rate of all groups together, in messages per second; null unless each has one constant rate. */
    public static @Nullable Double ratePerSecond(Scenario scenario) {
        List<ProducerGroupSpec> producers = scenario.phases().isEmpty() ? scenario.producers() : List.of();
        double sum = 0;
        for (ProducerGroupSpec side : producers) {
            if (!(side.load() instanceof Load.Constant(var rate))) {
                return null;
            }
            sum += rate.perSecond();
        }
        return producers.isEmpty() ? null : sum;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
