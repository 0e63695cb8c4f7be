package io.brokermeter.reports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.reports.directory.WorkloadFacts;
import io.brokermeter.spi.parameter.Setting;

/**
 * The lines and keys that the outputs of a run have, and its planned length.
 *
 * @param id the run's name, empty for none
 * @param sends whether the run has producers
 * @param receives whether the run has consumers
 * @param scheduled whether sends have a target rate, so that there is a send delay
 * @param duration planned length with the warm-up, zero for no limit
 * @param messageCount planned messages, sent or, in a run without producers, received; 0 for no limit
 * @param seed seed of everything that is random, 0 if nothing is
 * @param askedPerSecond rate of all producers together, in messages per second; NaN if it is not constant, or none was asked
 * @param what description of what is measured, in one line; empty if it is unknown
 * @param names names of settings in sentences about the run
 * @param verdictFails whether a run that measured the generator has an exit code of its own although it has no thresholds
 */
public record RunShape(
        String id, boolean sends, boolean receives, boolean scheduled, Duration duration, long messageCount,
        long seed, double askedPerSecond, String what, Function<Setting, String> names, boolean verdictFails) {

    /** Creates the shape of a run without a name. */
    public RunShape(boolean sends, boolean receives, boolean scheduled, Duration duration, long messageCount) {
        this("", sends, receives, scheduled, duration, messageCount, 0, Double.NaN, "", Setting::key, false);
    }

    /** Creates the shape of a scenario, with settings named as in a scenario file. */
    public static RunShape of(Scenario scenario) {
        Double asked = WorkloadFacts.ratePerSecond(scenario);
        return new RunShape(scenario.id(), scenario.sends(), scenario.receives(), scenario.scheduled(), scenario.length(),
            scenario.plannedMessages(), scenario.seed(), asked == null ? Double.NaN : asked, what(scenario), Setting::key, false);
    }

    /** Returns this shape with other names of settings, such as those of the options that set them, and another {@link #verdictFails}. */
    public RunShape with(Function<Setting, String> settings, boolean fails) {
        return new RunShape(id, sends, receives, scheduled, duration, messageCount, seed, askedPerSecond, what, settings, fails);
    }

    /** Returns the formatter of sentences about the run. */
    public Sentences sentences() {
        return new Sentences(names);
    }

    /** Describes a scenario, for example {@code 2 producers, 1 consumer, queue://Q, CORE, 1 KiB, 10,000/s, 60 s with 10 s of warm-up}. */
    private static String what(Scenario scenario) {
        List<String> parts = new ArrayList<>();
        if (scenario.sends()) {
            parts.add(number(scenario.producers().stream().mapToLong(ProducerGroupSpec::size).sum(), "producer"));
        }
        if (scenario.receives()) {
            parts.add(number(scenario.consumers().stream().mapToLong(ConsumerGroupSpec::size).sum(), "consumer"));
        }
        List<?> destinations = scenario.destinations();
        parts.add(destinations.getFirst() + (destinations.size() > 1 ? " and " + (destinations.size() - 1) + " more" : ""));
        Set<String> protocols = new TreeSet<>();
        Stream
            .concat(scenario.producers().stream().map(ProducerGroupSpec::endpoint),
                scenario.consumers().stream().map(ConsumerGroupSpec::endpoint))
            .map(endpoint -> endpoint.protocol().toUpperCase(Locale.ROOT)).filter(name -> !name.isEmpty()).forEach(protocols::add);
        if (!protocols.isEmpty()) {
            parts.add(String.join(" and ", protocols));
        }
        if (scenario.sends()) {
            parts.add(same(scenario, side -> side.messages().content().verbatim() ? "bodies of their own sizes"
                : side.messages().sizes() instanceof Sizes.Fixed(int bytes) ? Amounts.bytes(bytes) : "sizes that vary",
                "sizes that differ"));
            parts.add(scenario.phases().isEmpty() ? same(scenario, side -> load(side.load()), "loads that differ")
                : number(scenario.phases().size(), "phase"));
        }
        if (scenario.plannedMessages() > 0) {
            parts.add(number(scenario.plannedMessages(), "message"));
        }
        if (!scenario.length().isZero()) {
            parts.add(length(scenario.length()) + (scenario.limits().warmup().isZero() ? ""
                : " with " + length(scenario.limits().warmup()) + " of warm-up" + (scenario.limits().settles() ? " or more" : "")));
        }
        return String.join(", ", parts);
    }

    private static String same(Scenario scenario, Function<ProducerGroupSpec, String> words, String otherwise) {
        List<String> all = scenario.producers().stream().map(words).distinct().toList();
        return all.size() == 1 ? all.getFirst() : otherwise;
    }

    private static String load(Load load) {
        return switch (load) {
            case Load.AllOut _ -> "as fast as it goes";
            case Load.Constant constant -> Amounts.rate(constant.rate().perSecond());
            case Load.Poisson poisson -> "Poisson arrivals of " + Amounts.rate(poisson.mean());
            default -> "a load that changes";
        };
    }

    private static String length(Duration time) {
        return Numbers.plain(time.toMillis() / 1e3) + " s";
    }

    private static String number(long count, String what) {
        return Counted.of(count, what);
    }
}
