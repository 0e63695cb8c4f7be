package io.brokermeter.trials.sweep;

import java.io.PrintStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Origin;
import io.brokermeter.experiment.PlanText;
import io.brokermeter.experiment.Trial;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.NotWithAgents;
import io.brokermeter.trials.ProgressLine;
import io.brokermeter.trials.faults.FaultTargets;
import io.brokermeter.trials.network.NetworkRequirements;
import io.brokermeter.trials.network.NetworkRights;
import org.jspecify.annotations.Nullable;

/**
 * The plan of {@code run}: every trial of every experiment, in order.
 *
 * @param drivers the available protocols
 * @param experiments the experiments, in the order of their files
 * @param steps the trials, numbered from 1 over all experiments
 */
public record SweepPlan(Drivers drivers, List<Experiment> experiments, List<Step> steps) {

    /** Stands in place of a broker's name for the broker that listens where clients connect by default. */
    static final String LOCAL = "localhost";

    /**
     * One trial.
     *
     * @param number its number in the sweep, from 1
     * @param experiment the index of its experiment
     * @param broker the broker to start for it, or null for none
     * @param directory the name of the directory of its files
     */
    public record Step(int number, int experiment, Trial trial, @Nullable BrokerChoice broker, String directory) {

        /** Returns what distinguishes this trial in its experiment, for people; empty when it is the only one. */
        String variant(Experiment of) {
            String point = trial.point().toString();
            String round = of.repeat() > 1 ? "repeat " + trial.round() : "";
            return point.isEmpty() ? round : round.isEmpty() ? point : point + ", " + round;
        }

        /** Returns the address on which a broker that is started for this trial listens; null for loopback. */
        @Nullable InetAddress address() {
            return broker == null ? null : broker.options().address().orElse(null);
        }

        /** Returns how the groups of this trial reach their broker. */
        public Endpoints endpoints(Drivers drivers, @Nullable Secret password) {
            return new Endpoints(drivers, broker == null ? null : broker.name(), Map.of(), password);
        }

        /** Returns the targets of the faults of this trial. */
        FaultTargets faultTargets(Drivers drivers, boolean owned) {
            return endpoints(drivers, null).faultTargets(trial.workload(), broker, owned);
        }

        /** Returns the planned duration of this trial, zero when it is not known. */
        Duration length() {
            return PlanText.estimate(trial).orElse(Duration.ZERO);
        }
    }

    public SweepPlan {
        experiments = List.copyOf(experiments);
        steps = List.copyOf(steps);
    }

    /** Creates the plan of experiments in which a broker that runs already is not the user's to stop. */
    public static SweepPlan of(List<Experiment> experiments, Drivers drivers, @Nullable Secret password) {
        return of(experiments, drivers, password, false);
    }

    /**
     * Creates the plan of experiments: orders the trials, and checks everything about each that can be checked before anything starts.
     *
     * @param owned whether a broker that runs already is the user's to stop
     * @throws UsageException with one sentence that names the experiment
     */
    public static SweepPlan of(List<Experiment> experiments, Drivers drivers, @Nullable Secret password, boolean owned) {
        return of(experiments, drivers, password, owned, null);
    }

    /**
     * Creates the plan of the rest of a sweep.
     *
     * @param unnamed the value of {@link #unnamed()} when the sweep began; null to determine it now
     */
    static SweepPlan of(List<Experiment> experiments, Drivers drivers, @Nullable Secret password, boolean owned, @Nullable String unnamed) {
        // The broker of trials that name neither a broker nor a URL: the one at the default address, or else a new one.
        String otherwise = unnamed != null ? unnamed : Drivers.isListening() ? LOCAL : Broker.names().getFirst();
        BrokerChoice fallback = otherwise.equals(LOCAL) ? null : BrokerChoice.of(BrokerName.parse(otherwise));
        NetworkRights.gain(experiments.stream().flatMap(experiment -> experiment.trials().stream()).map(trial -> {
            BrokerChoice broker = brokerOf(trial, fallback);
            return new NetworkRights.Wish(trial.workload(), broker == null ? null : broker.name());
        }).toList());
        List<Step> steps = new ArrayList<>();
        for (int e = 0; e < experiments.size(); e++) {
            Experiment experiment = experiments.get(e);
            for (Trial trial : experiment.trials()) {
                BrokerChoice broker = brokerOf(trial, fallback);
                int number = steps.size() + 1;
                String point = trial.point().toString();
                String name = experiment.name() + (point.isEmpty() ? "" : "-" + point)
                    + (experiment.repeat() > 1 ? "-r" + trial.round() : "");
                Step step = new Step(number, e, trial, broker,
                    String.format(Locale.ROOT, "%03d-", number) + RunStore.fileName(name));
                requireProtocols(step, experiment, drivers);
                try {
                    check(step, drivers, password);
                } catch (UsageException mistake) {
                    List<Setting> named = new ArrayList<>();
                    String sentence = mistake.sentence(setting -> {
                        named.add(setting);
                        return Option.inFile(setting);
                    });
                    throw new UsageException(place(step, experiment, sentence, named, step.endpoints(drivers, password))
                        + (point.isEmpty() ? "" : " with " + point) + ": " + sentence);
                }
                checkFaults(step, experiment, drivers, owned);
                steps.add(step);
            }
        }
        return new SweepPlan(drivers, experiments, steps);
    }

    /**
     * Checks that the versions of the brokers exist, which starts nothing: the last trial's may not end a sweep of hours.
     *
     * @param dryRun whether to warn when that cannot be determined; otherwise the start of the broker says it
     */
    void requireVersions(PrintStream err, boolean dryRun) {
        List<BrokerName> names =
            steps.stream().map(Step::broker).filter(Objects::nonNull).map(BrokerChoice::name).distinct().toList();
        for (BrokerName name : names) {
            try (ProgressLine progress = ProgressLine.on(err)) {
                progress.drawOnly("Looking for " + name);
                Broker.requireVersion(name);
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            } catch (BrokerException e) {
                if (dryRun) {
                    err.println("warning: It is not known whether there is a broker " + name + ": " + e.getMessage());
                }
            }
        }
    }

    /** Returns the warnings about the experiments that are to be given before anything starts, each sentence once. */
    List<String> warnings() {
        Set<String> all = new LinkedHashSet<>();
        experiments.forEach(experiment -> experiment.warnings().forEach(warning -> all.add(experiment.name() + ": " + warning)));
        steps.forEach(step -> step.trial.workload().scenario().warnings(Option::inFile)
            .forEach(warning -> all.add(experiments.get(step.experiment).name() + ": " + warning)));
        return List.copyOf(all);
    }

    /**
     * Refuses trials that agents cannot run, as far as that does not depend on the agents that are present.
     *
     * @throws UsageException with one sentence
     */
    void requireFitForAgents(@Nullable Secret password) {
        steps.forEach(step -> NotWithAgents.require(step.trial().workload(), step.broker() != null, step.address(),
            step.endpoints(drivers, password).endpoints(drivers::localUrl), drivers));
    }

    /**
     * Returns the broker of the trials that name neither a broker nor a URL: {@value #LOCAL}, or the name of the broker that is started;
     * null without such trials.
     */
    @Nullable String unnamed() {
        return steps.stream().filter(SweepPlan::isUnnamed).map(step -> step.broker() == null ? LOCAL : step.broker().name().toString())
            .findFirst().orElse(null);
    }

    /** Returns whether a trial names neither a broker nor a URL. */
    static boolean isUnnamed(Step step) {
        return step.trial().broker() == null && Endpoints.isOpen(step.trial().workload());
    }

    private static @Nullable BrokerChoice brokerOf(Trial trial, @Nullable BrokerChoice fallback) {
        return trial.broker() != null ? trial.broker() : Endpoints.isOpen(trial.workload()) ? fallback : null;
    }

    private static void checkFaults(Step step, Experiment experiment, Drivers drivers, boolean owned) {
        List<Fault> faults = step.trial().workload().scenario().faults();
        if (faults.isEmpty()) {
            return;
        }
        try {
            step.faultTargets(drivers, owned).check(faults);
        } catch (FaultTargets.Refused e) {
            throw new UsageException(experiment.origin().item("faults", e.number() - 1) + ": key 'faults." + (e.number() - 1) + "': "
                + e.reason().sentence(Option::inFile));
        }
    }

    private static void requireProtocols(Step step, Experiment experiment, Drivers drivers) {
        step.trial().workload().groups().stream().map(group -> group.access().protocol()).filter(Objects::nonNull).forEach(name -> {
            try {
                drivers.named(name, "key 'protocol'");
            } catch (UsageException e) {
                throw new UsageException(experiment.origin().of("protocol", name) + ": " + e.getMessage());
            }
        });
    }

    /**
     * Refuses trials that would never end: a person may end a run of {@code client} at any time, but nobody watches a trial.
     *
     * @throws UsageException for the first of them
     */
    void requireEnds() {
        for (Step step : steps) {
            requireEnd(step, experiment(step));
        }
    }

    private static void requireEnd(Step step, Experiment experiment) {
        Scenario scenario = step.trial().workload().scenario();
        String point = step.trial().point().toString();
        String with = point.isEmpty() ? "" : " (with " + point + ")";
        if (scenario.endless()) {
            throw new UsageException(experiment.origin() + ": it says neither for how long nor for how many messages" + with
                + ", so it would never end; add 'duration: 30s', or "
                + (scenario.sends() ? "'load.messages' for every group of producers." : "'messages' for a group of consumers."));
        }
    }

    /** Checks a trial as far as that is possible before anything starts. */
    private static void check(Step step, Drivers drivers, @Nullable Secret password) {
        BrokerChoice broker = step.broker();
        if (broker != null) {
            if (!broker.hidden().isEmpty()) {
                throw new UsageException("The files of a run keep no passwords, and the broker's setting " + broker.hidden().getFirst()
                    + " is one: start that run again.");
            }
            try {
                Broker.check(broker.name(), broker.options());
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            }
        }
        Endpoints endpoints = step.endpoints(drivers, password);
        endpoints.unserved(step.trial().workload()).ifPresent(name -> {
            throw new UsageException("Broker " + Objects.requireNonNull(broker).name() + " does not speak " + name + ", but "
                + String.join(", ", Broker.protocols(broker.name())) + ".");
        });
        if (broker != null) {
            endpoints.requireServed(step.trial().workload(), broker.options());
        }
        NetworkRequirements.require(step.trial().workload(), endpoints, step.broker() != null);
        Plan.of(step.trial().workload().connected(endpoints.endpoints(drivers::localUrl)), drivers.all());
    }

    /**
     * Returns where a mistake found by {@link #check} was written: the place of the setting that its sentence names, or else of the
     * parameter in it, or of the URL, that a driver refuses of a group.
     */
    private static String place(Step step, Experiment experiment, String sentence, List<Setting> named, Endpoints endpoints) {
        Origin origin = experiment.origin();
        String file = origin.toString();
        String place = named.isEmpty() ? file : origin.at(named.getFirst().path());
        if (!place.equals(file)) {
            return place;
        }
        return step.trial().workload().groups().stream().filter(group -> isRefused(group, endpoints)).map(Workload.Group::access)
            .map(access -> parameter(sentence, access, origin).orElseGet(() -> access.url() != null ? origin.of("url", access.url())
                : access.properties().isEmpty() ? origin.of("protocol", String.valueOf(access.protocol())) : origin.at("properties")))
            .findFirst().orElse(file);
    }

    /** Returns the place of the parameter of a group with the longest name that a sentence has as a word; empty for none. */
    private static Optional<String> parameter(String sentence, EndpointChoice access, Origin origin) {
        return access.properties().keySet().stream()
            .filter(name -> Pattern.compile("(?<![\\w.-])" + Pattern.quote(name) + "(?![\\w-]|\\.\\w)").matcher(sentence).find())
            .max(Comparator.comparingInt(String::length)).map(name -> origin.of(name, access.properties().getOrDefault(name, "")));
    }

    private static boolean isRefused(Workload.Group group, Endpoints endpoints) {
        Drivers drivers = endpoints.drivers();
        try {
            Endpoint endpoint = endpoints.endpoints(drivers::localUrl).apply(group);
            drivers.get(endpoint.protocol()).check(endpoint.settings());
            return false;
        } catch (IllegalArgumentException | UsageException e) {
            return true;
        }
    }

    /** Returns the experiment of a trial. */
    Experiment experiment(Step step) {
        return experiments.get(step.experiment());
    }

    /** Returns the trials that a resumed sweep would run as text, for {@code --dry-run}. */
    String rest(Predicate<Step> due) {
        List<Step> left = steps.stream().filter(due).toList();
        return (left.size() < steps.size() ? left.size() + " of " + Counted.of(steps.size(), "trial") + " left\n" : "")
            + new SweepPlan(drivers, experiments, left).text();
    }

    /** Returns the whole plan as text, for {@code --dry-run}. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (int e = 0; e < experiments.size(); e++) {
            int number = e;
            if (steps.stream().noneMatch(step -> step.experiment() == number)) {
                continue;
            }
            Experiment experiment = experiments.get(e);
            text.append(experiment.name());
            if (experiment.title() != null) {
                text.append(": ").append(experiment.title());
            }
            text.append('\n');
            if (experiment.source() != null) {
                text.append("  source   ").append(SweepResults.source(experiment.source())).append('\n');
            }
            text.append("  trials   ").append(experiment.trials().size());
            if (experiment.points() > 1 || experiment.repeat() > 1) {
                text.append(" (").append(Counted.of(experiment.points(), "variant")).append(", ")
                    .append(Counted.of(experiment.repeat(), "time")).append(", ")
                    .append(experiment.order().name().toLowerCase(Locale.ROOT)).append(", seed ").append(experiment.seed()).append(')');
            }
            text.append('\n');
            for (Step step : steps) {
                if (step.experiment() == e) {
                    text.append("  ").append(String.format(Locale.ROOT, "%4d  ", step.number())).append(line(step, experiment))
                        .append('\n');
                }
            }
        }
        Duration known = steps.stream().map(Step::length).reduce(Duration.ZERO, Duration::plus);
        long open = steps.stream().filter(step -> step.length().isZero()).count();
        text.append(Counted.of(steps.size(), "trial"));
        if (!known.isZero()) {
            text.append(", about ").append(duration(known));
        }
        if (open > 0) {
            text.append(known.isZero() ? ", " : " and, for ").append(open == steps.size() ? "as long as the messages take"
                : open + " of them, as long as the messages take");
        }
        return text.append('\n').toString();
    }

    private String line(Step step, Experiment experiment) {
        Scenario scenario = step.trial().workload().scenario();
        List<String> parts = new ArrayList<>();
        String variant = step.variant(experiment);
        if (!variant.isEmpty()) {
            parts.add(variant);
        }
        BrokerChoice broker = step.broker();
        parts.add(broker == null ? "a broker that runs" : "broker " + broker);
        for (int i = 0; i < scenario.producers().size(); i++) {
            ProducerGroupSpec side = scenario.producers().get(i);
            parts.add(Counted.of(side.size(), "producer") + " ("
                + way(step, step.trial().workload().producers().get(i)) + ", " + PlanText.load(side, scenario) + ")");
        }
        for (int i = 0; i < scenario.consumers().size(); i++) {
            ConsumerGroupSpec side = scenario.consumers().get(i);
            parts.add(Counted.of(side.size(), "consumer") + " (" + way(step, step.trial().workload().consumers().get(i)) + ")");
        }
        if (!scenario.length().isZero()) {
            parts.add(duration(scenario.length()));
        }
        return String.join("; ", parts);
    }

    /** Returns protocol and URL of a group, or the protocol alone when the broker is yet to be started. */
    private String way(Step step, EndpointChoice access) {
        String protocol = step.endpoints(drivers, null).protocol(access);
        String url = access.url() != null ? access.url() : step.broker() == null ? drivers.localUrl(protocol) : null;
        return url == null ? protocol : protocol + " " + ConnectionSettings.redacted(url);
    }

    /** Formats a duration: {@code 90 s}, {@code 12 min}, {@code 3 h 20 min}. */
    public static String duration(Duration duration) {
        long seconds = Math.round(duration.toMillis() / 1e3);
        if (seconds < 120) {
            return seconds + " s";
        }
        long minutes = Math.round(seconds / 60.0);
        return minutes < 120 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
