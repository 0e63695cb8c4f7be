package io.brokermeter.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.Destination;

/** What an experiment would do, for a reader: the text of {@code --dry-run}. */
public final class PlanText {

    private static final int MOST_TRIALS = 200;
    /** What a trial takes besides its load: a process, a broker, an end. Guessed on the safe side. */
    private static final Duration BROKER = Duration.ofSeconds(6);
    private static final Duration REST = Duration.ofSeconds(2);

    private PlanText() {}

    /** The plan, lines without a line break at their ends. */
    public static List<String> of(Experiment experiment) {
        List<String> lines = new ArrayList<>();
        lines.add(experiment.name() + (experiment.title() == null ? "" : ": " + experiment.title()));
        Source source = experiment.source();
        if (source != null) {
            lines.add("  published in " + source.document() + (source.table() == null ? "" : ", " + source.table()));
        }
        int trials = experiment.trials().size();
        lines.add("  " + count(trials, "trial") + (experiment.repeat() == 1 ? "" : ", " + count(experiment.points(), "point")
                + " in " + count(experiment.repeat(), "round")) + (trials == 1 ? "" : ", " + (experiment.order()
                == Order.INTERLEAVED ? "each round in a random order (seed " + experiment.seed() + ")" : "in the order of the file")));
        for (Axis axis : experiment.axes()) {
            lines.add("  varies " + axis.path() + ": " + String.join(", ", axis.values()));
        }
        lines.add("  takes " + estimate(experiment).map(time -> "about " + words(time)).orElse("as long as its messages need"));
        experiment.warnings().forEach(warning -> lines.add("  warning: " + warning));
        for (Trial trial : experiment.trials().subList(0, Math.min(trials, MOST_TRIALS))) {
            lines.add("Trial " + trial.number() + (experiment.repeat() == 1 ? "" : ", round " + trial.round())
                    + (trial.point().values().isEmpty() ? "" : ": " + trial.point()));
            trial(trial, lines);
        }
        if (trials > MOST_TRIALS) {
            lines.add("... and " + count(trials - MOST_TRIALS, "more trial"));
        }
        return lines;
    }

    /** About how long the whole takes; empty when some trial ends with its messages at no known rate. */
    public static Optional<Duration> estimate(Experiment experiment) {
        Duration sum = Duration.ZERO;
        int known = Math.min(experiment.trials().size(), MOST_TRIALS);
        for (Trial trial : experiment.trials().subList(0, known)) {
            Optional<Duration> one = estimate(trial);
            if (one.isEmpty()) {
                return Optional.empty();
            }
            sum = sum.plus(one.get());
        }
        return Optional.of(known == experiment.trials().size() ? sum
                : Duration.ofMillis((long) ((double) sum.toMillis() / known * experiment.trials().size())));
    }

    /** About how long a trial takes, a broker's start included; empty when that depends on the broker's speed. */
    public static Optional<Duration> estimate(Trial trial) {
        Scenario scenario = trial.workload().scenario();
        Duration length = scenario.length();
        if (scenario.phases().isEmpty() && scenario.sends()
                && scenario.producers().stream().allMatch(side -> side.messageCount() > 0)) {
            Duration longest = Duration.ZERO;
            for (ProducerSide side : scenario.producers()) {
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
        return Optional.of(length.plus(REST).plus(trial.broker() == null ? Duration.ZERO : BROKER));
    }

    private static void trial(Trial trial, List<String> lines) {
        Scenario scenario = trial.workload().scenario();
        BrokerChoice broker = trial.broker();
        if (broker != null) {
            lines.add("  broker " + broker + (broker.fresh() == BrokerChoice.Fresh.TRIAL ? ", new" : ", kept while it fits"));
        }
        for (int i = 0; i < scenario.producers().size(); i++) {
            ProducerSide side = scenario.producers().get(i);
            lines.add("  " + side.name() + ": " + count((long) side.perDestination() * side.destinations().size(), "producer")
                    + way(trial.workload().producers().get(i)) + " to " + destinations(side.destinations()) + ", "
                    + load(side.load(), scenario) + (side.messageCount() == 0 ? "" : ", " + count(side.messageCount(), "message"))
                    + ", " + (side.messages().content().verbatim() ? Texts.content(side.messages().content()).lines().findFirst()
                    .orElse("") : Texts.sizes(side.messages().sizes())) + (side.messages().persistent() ? ", persistent" : "")
                    + ", max pending " + side.maxPending() + (side.request() == null ? "" : ", requests"));
        }
        for (int i = 0; i < scenario.consumers().size(); i++) {
            ConsumerSide side = scenario.consumers().get(i);
            lines.add("  " + side.name() + ": " + count((long) side.perDestination() * side.destinations().size()
                    * Math.max(1, side.sharedSubscriptions()), "consumer") + way(trial.workload().consumers().get(i)) + " of "
                    + destinations(side.destinations()) + ", " + side.ackMode().name().toLowerCase(Locale.ROOT)
                    + (side.durable() ? ", durable" : "") + (side.replies() ? ", replying" : "")
                    + (side.start().isWithRun() ? "" : ", starting " + (side.start().afterProducers() ? "after the producers"
                    : "after " + Texts.time(side.start().delay()))));
        }
        scenario.phases().forEach(phase -> lines.add("  phase " + phase.name() + ": " + Texts.time(phase.length())
                + (phase.loads().isEmpty() ? "" : ", " + phase.loads().entrySet().stream().map(load -> (load.getKey().isEmpty()
                ? "" : load.getKey() + " ") + Texts.load(load.getValue())).collect(Collectors.joining(", ")))));
        if (!scenario.limits().duration().isZero()) {
            lines.add("  for " + Texts.time(scenario.limits().duration()) + (scenario.limits().warmup().isZero() ? ""
                    : ", warm-up " + Texts.time(scenario.limits().warmup())));
        }
    }

    /** What a group of producers sends, in a few words: its load, the size of its messages, their number where it has one. */
    public static String load(ProducerSide side, Scenario scenario) {
        return load(side.load(), scenario) + ", " + (side.messages().content().verbatim()
                ? Texts.content(side.messages().content()).lines().findFirst().orElse("")
                : "size " + Texts.sizes(side.messages().sizes()))
                + (side.messageCount() == 0 ? "" : ", " + count(side.messageCount(), "message"));
    }

    /** A URL as it may be shown: without passwords. */
    public static String url(String url) {
        return Redaction.url(url);
    }

    private static String load(Load load, Scenario scenario) {
        return load instanceof Load.AllOut && !scenario.phases().isEmpty() ? "load of the phases" : Texts.load(load);
    }

    private static String way(Access access) {
        return (access.protocol() == null ? "" : ", " + access.protocol())
                + (access.url() == null ? "" : ", " + Redaction.url(access.url()));
    }

    private static String destinations(List<Destination> all) {
        return all.size() <= 2 ? all.stream().map(Destination::toString).collect(Collectors.joining(" and "))
                : all.getFirst() + " and " + (all.size() - 1) + " more";
    }

    private static String count(long number, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
    }

    /** {@code 45 s}, {@code 12 min}, {@code 3 h 20 min}. */
    public static String words(Duration time) {
        long seconds = Math.max(1, (time.toMillis() + 500) / 1000);
        if (seconds < 120) {
            return seconds + " s";
        }
        long minutes = (seconds + 30) / 60;
        return minutes < 120 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
