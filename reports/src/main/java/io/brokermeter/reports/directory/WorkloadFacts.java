package io.brokermeter.reports.directory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.reports.document.EnvironmentDocument.Workload;
import org.jspecify.annotations.Nullable;

/** Describes a scenario in a few numbers. */
public final class WorkloadFacts {

    private WorkloadFacts() {}

    static Workload of(Scenario scenario) {
        List<ProducerGroupSpec> producers = scenario.producers();
        List<ConsumerGroupSpec> consumers = scenario.consumers();
        return new Workload((long) scenario.destinations().size(), producers.stream().mapToLong(ProducerGroupSpec::size).sum(),
            consumers.stream().mapToLong(ConsumerGroupSpec::size).sum(),
            same(producers, side -> side.messages().sizes() instanceof Sizes.Fixed(int bytes) && !side.messages().content().verbatim()
                ? (Long) (long) bytes : null),
            same(producers, side -> side.messages().persistent()), same(producers, side -> (long) side.maxPending()),
            scenario.phases().isEmpty() ? same(producers, side -> name(side.load())) : "phases",
            known(ratePerSecond(scenario)),
            scenario.plannedMessages() == 0 ? null : (Long) scenario.plannedMessages(),
            scenario.length().isZero() ? Double.NaN : seconds(scenario.length()), seconds(scenario.limits().warmup()),
            seconds(scenario.limits().interval()), known(same(producers, side -> seconds(side.start().delay()))),
            consumers.stream().anyMatch(side -> side.summarizer() != null), consumersStart(consumers),
            known(same(consumers, side -> side.processing().isNone() ? null : (Double) mean(side.processing()))), scenario.seed());
    }

    private static double known(@Nullable Double fact) {
        return fact == null ? Double.NaN : fact;
    }

    /**
     * Returns the start delay of the first consumers, in seconds from the start of the run; NaN where some start with the run, or none
     * before the producers have ended.
     */
    private static double consumersStart(List<ConsumerGroupSpec> consumers) {
        Duration first = consumers.stream().map(ConsumerGroupSpec::start).filter(start -> !start.afterProducers()).map(Start::delay)
            .min(Comparator.naturalOrder()).orElse(Duration.ZERO);
        return first.isZero() ? Double.NaN : seconds(first);
    }

    /** Returns the mean of a processing time, in microseconds. */
    private static double mean(TimeLaw processing) {
        return switch (processing) {
            case TimeLaw.Constant(Duration time) -> time.toNanos() / 1e3;
            case TimeLaw.Uniform(Duration shortest, Duration longest) -> shortest.toNanos() / 2e3 + longest.toNanos() / 2e3;
            case TimeLaw.Exponential(Duration mean) -> mean.toNanos() / 1e3;
        };
    }

    private static <T, F> @Nullable F same(List<T> sides, Function<T, @Nullable F> fact) {
        List<@Nullable F> all = new ArrayList<>();
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
