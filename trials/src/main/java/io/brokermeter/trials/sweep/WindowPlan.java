package io.brokermeter.trials.sweep;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.brokermeter.analysis.window.DistantTrial;
import io.brokermeter.analysis.window.FarSide;
import io.brokermeter.analysis.window.WindowChange;
import io.brokermeter.analysis.window.WindowSetting;
import io.brokermeter.analysis.window.WindowSetting.Component;
import io.brokermeter.analysis.window.WindowSettings;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Axis;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.reports.document.SweepDocument.AskedWindow;
import io.brokermeter.spi.AckMode;
import io.brokermeter.trials.Drivers;
import org.jspecify.annotations.Nullable;

/**
 * The trials of {@code window}: for each side the rates over several distances and sizes of messages, and the changes to try at the longest
 * distance. More is planned than is run: of the changes, only those that fit the findings are run.
 *
 * @param halves one for each side
 */
public record WindowPlan(List<Half> halves) {

    /** The greatest load of a near producer, in bytes per second, so that it does not fill the broker. */
    private static final double MOST_BYTES = 16e6;
    private static final int MOST_MESSAGES = 12_000;
    private static final String KNOB = "url?";
    private static final String PROPERTIES = ".properties.";
    private static final String DISTANCES = "-distances";
    private static final String UNCHANGED = "-unchanged";
    private static final String CHANGE = "-change-";

    /**
     * The request of the user.
     *
     * @param sides the sides to move away
     * @param roundTrips round-trip times from the shortest to the longest, at least two
     * @param sizes sizes of messages in bytes, from the smallest to the largest
     * @param access the keys of a scenario file that say how to reach the broker, or which one to start: {@code url}, {@code broker.name}
     * @param protocol the protocol
     * @param broker the name of the broker, empty when it is not known
     * @param destination the destination, as {@code topic://T}
     * @param scale factor for the length of each trial
     * @param sets other settings of the scenario, each {@code key=value}
     */
    public record Request(List<FarSide> sides, List<Duration> roundTrips, List<Integer> sizes, Map<String, String> access, String protocol,
            String broker,
            String destination, double scale, List<String> sets) {

        public Request {
            sides = List.copyOf(sides);
            roundTrips = List.copyOf(roundTrips);
            sizes = List.copyOf(sizes);
            sets = List.copyOf(sets);
        }

        /** The components of a request by name, for {@link #of(Consumer)}. */
        @SuppressWarnings("NullAway.Init") // components without a default are checked once all are set
        public static final class Values {

            public List<FarSide> sides = List.of();
            public List<Duration> roundTrips = List.of();
            public List<Integer> sizes = List.of();
            public Map<String, String> access = Map.of();
            public String protocol;
            public String broker = "";
            public String destination;
            public double scale = 1;
            public List<String> sets = List.of();

            private Values() {}
        }

        /** Creates a request from the values that {@code change} sets. */
        public static Request of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Request(its.sides, its.roundTrips, its.sizes, its.access, Objects.requireNonNull(its.protocol, "protocol"),
                its.broker,
                Objects.requireNonNull(its.destination, "destination"), its.scale, its.sets);
        }

        /**
         * Returns the request as it is kept in files, without login and password: the experiments themselves state how to reach the broker.
         * The parameters of a URL are kept for the loopback broker alone, whose settings they are.
         *
         * @param time the time after which no further trial begins
         * @param tried the value of {@link WindowPlan#tried()}
         */
        public AskedWindow kept(Duration time, Map<String, String> tried) {
            Map<String, String> reached = new LinkedHashMap<>(access);
            reached.computeIfPresent("url", (_, url) -> {
                String plain = withoutLogin(url);
                return protocol.equals(WindowScenario.KNOBS) ? plain : plain.replaceFirst("[?].*", "");
            });
            reached.remove("user");
            return new AskedWindow(sides.stream().map(FarSide::name).toList(),
                roundTrips.stream().map(one -> one.toNanos() / 1_000).toList(), sizes.stream().map(Integer::longValue).toList(), protocol,
                broker, destination, scale, sets.stream().map(ScenarioFile::redacted)
                    .map(set -> set.substring(0, set.indexOf('=')).endsWith("url") ? withoutLogin(set) : set).toList(),
                reached, time.toMillis() / 1e3, tried);
        }

        private static String withoutLogin(String url) {
            return url.replaceFirst("://[^/?@]*@", "://");
        }

        /** Restores a request. */
        public static Request of(AskedWindow kept) {
            return of(its -> {
                its.sides = kept.sides().stream().map(FarSide::valueOf).toList();
                its.roundTrips = kept.roundTripsMicros().stream().map(micros -> Duration.ofNanos(micros * 1_000)).toList();
                its.sizes = kept.sizes().stream().map(Long::intValue).toList();
                its.access = kept.access();
                its.protocol = kept.protocol();
                its.broker = kept.broker();
                its.destination = kept.destination();
                its.scale = kept.scale();
                its.sets = kept.sets();
            });
        }

        boolean isTopic() {
            return destination.startsWith("topic:");
        }
    }

    /**
     * The trials of one side.
     *
     * @param distances the experiment over all distances and sizes
     * @param points its points, by their index
     * @param at the point at which changes are tried
     * @param unchanged the same point once more, without a change
     * @param changes the changes that may be tried, each with its experiment
     */
    public record Half(FarSide side, Experiment distances, List<DistantTrial> points, DistantTrial at, Experiment unchanged,
            SequencedMap<WindowChange, Experiment> changes) {}

    public WindowPlan {
        halves = List.copyOf(halves);
    }

    /**
     * Creates the plan of a request. A change whose value the driver or the broker refuses is left out.
     *
     * @throws UsageException for what the user must change
     */
    public static WindowPlan of(Request request, Drivers drivers) {
        List<Half> halves = new ArrayList<>();
        for (FarSide side : request.sides()) {
            halves.add(half(request, side, drivers));
        }
        return new WindowPlan(halves);
    }

    /** Returns all experiments, in the order in which they run. */
    public List<Experiment> experiments() {
        List<Experiment> all = new ArrayList<>();
        halves.forEach(half -> all.add(half.distances()));
        halves.forEach(half -> {
            all.add(half.unchanged());
            all.addAll(half.changes().values());
        });
        return all;
    }

    /**
     * Restores the plan by which experiments were made. A new plan might be another one: a request that was kept lacks those parts of the
     * way to the broker that may not be in every file, and the possible changes depend on them.
     *
     * @param kept the value of {@link #tried()}
     * @throws UsageException with one sentence when they do not fit
     */
    static WindowPlan of(Request request, List<Experiment> experiments, Map<String, String> kept) {
        Map<String, Experiment> named = new LinkedHashMap<>();
        experiments.forEach(experiment -> named.put(experiment.name(), experiment));
        return new WindowPlan(request.sides().stream().map(side -> {
            Experiment unchanged = found(named, side.word() + UNCHANGED);
            Map<String, WindowChange> known =
                changes(request, side, unchanged).stream().collect(Collectors.toMap(WindowPlan::text, change -> change));
            SequencedMap<WindowChange, Experiment> changes = new LinkedHashMap<>();
            named.forEach((name, experiment) -> {
                if (name.startsWith(side.word() + CHANGE)) {
                    changes.put(found(known, String.valueOf(kept.get(name))), experiment);
                }
            });
            return new Half(side, found(named, side.word() + DISTANCES), points(request, side), at(request, side),
                unchanged, changes);
        }).toList());
    }

    private static <T> T found(Map<String, T> all, String name) {
        T found = all.get(name);
        if (found == null) {
            throw new UsageException("This search has nothing that fits '" + name + "', as one of another version may; begin a new one.");
        }
        return found;
    }

    /**
     * Returns what each change sets, by the name of its experiment. The number in this name identifies a change only among those that were
     * possible.
     */
    Map<String, String> tried() {
        Map<String, String> all = new LinkedHashMap<>();
        halves.forEach(half -> half.changes().forEach((change, experiment) -> all.put(experiment.name(), text(change))));
        return all;
    }

    private static String text(WindowChange change) {
        return change.setting().key() + "=" + change.value();
    }

    private static List<DistantTrial> points(Request request, FarSide side) {
        List<DistantTrial> points = new ArrayList<>();
        for (int size : request.sizes()) {
            for (Duration roundTrip : request.roundTrips()) {
                points.add(point(side, roundTrip, size, request.scale()));
            }
        }
        return points;
    }

    private static DistantTrial at(Request request, FarSide side) {
        return point(side, request.roundTrips().getLast(), request.sizes().get(request.sizes().size() / 2), request.scale());
    }

    private static Half half(Request request, FarSide side, Drivers drivers) {
        List<DistantTrial> points = points(request, side);
        DistantTrial at = at(request, side);
        List<String> keys = varied(request, side);
        Experiment distances = read(WindowScenario.text(request, side, keys, points, Map.of()), request, side, keys, DISTANCES, List.of());
        Experiment unchanged =
            read(WindowScenario.text(request, side, keys, List.of(at), Map.of()), request, side, keys, UNCHANGED, List.of());
        SequencedMap<WindowChange, Experiment> changes = new LinkedHashMap<>();
        for (WindowChange change : changes(request, side, unchanged)) {
            Experiment experiment = changed(request, side, keys, at, change, changes.size() + 1);
            if (experiment != null && isPossible(experiment, drivers)) {
                changes.put(change, experiment);
            }
        }
        return new Half(side, distances, points, at, unchanged, changes);
    }

    private static @Nullable Experiment changed(Request request, FarSide side, List<String> keys, DistantTrial at, WindowChange change,
            int number) {
        List<String> sets = new ArrayList<>();
        Map<String, String> knobs = new LinkedHashMap<>();
        for (String key : change.setting().key().split(",")) {
            if (key.startsWith(KNOB)) {
                knobs.put(key.substring(KNOB.length()), change.value());
            } else {
                sets.add(key + "=" + change.value());
            }
        }
        try {
            return read(WindowScenario.text(request, side, keys, List.of(at), knobs), request, side, keys, CHANGE + number, sets);
        } catch (UsageException refused) {
            return null;
        }
    }

    private static boolean isPossible(Experiment experiment, Drivers drivers) {
        try {
            SweepPlan.of(List.of(experiment), drivers, null);
            return true;
        } catch (UsageException refused) {
            return false;
        }
    }

    /**
     * Returns a short trial; at a round-trip time of a hundred milliseconds it measures for some forty round trips. A far producer sends as
     * much as it can; a near one as much as the broker can keep.
     */
    private static DistantTrial point(FarSide side, Duration roundTrip, int size, double scale) {
        double seconds = roundTrip.toNanos() / 1e9;
        return new DistantTrial(seconds, size,
            side == FarSide.PRODUCER ? Double.POSITIVE_INFINITY : Math.min(MOST_MESSAGES, Math.floor(MOST_BYTES / size)),
            tenths(scale * (2 + 10 * seconds)),
            tenths(scale * Math.max(3, 40 * seconds)));
    }

    private static double tenths(double seconds) {
        return Math.max(1, Math.rint(seconds * 10)) / 10;
    }

    private static Experiment read(String text, Request request, FarSide side, List<String> keys, String name, List<String> changes) {
        List<String> sets = new ArrayList<>(request.sets());
        // The results are found by this name.
        sets.add("name=" + side.word() + name);
        sets.addAll(changes);
        Experiment experiment = read(text, sets);
        List<String> varied = experiment.axes().stream().map(Axis::path).toList();
        for (String key : keys) {
            if (!varied.contains(key)) {
                throw new UsageException("'" + key + "' cannot be set: it is one of the keys that the trials of a window vary.");
            }
        }
        return experiment;
    }

    private static Experiment read(String text, List<String> sets) {
        return ScenarioFile.read(text, "window", Path.of(""), new Changes(sets, true));
    }

    /** Returns the keys that the trials vary: without the load where the user gave all producers loads of their own. */
    private static List<String> varied(Request request, FarSide side) {
        List<String> all = List.of(WindowScenario.distance(request, side), "message.size", WindowScenario.RATE, "warmup", "duration");
        List<String> others = all.stream().filter(key -> !key.equals(WindowScenario.RATE)).toList();
        String text = WindowScenario.text(request, side, others, List.of(at(request, side)), Map.of());
        return read(text, request.sets()).origin().hasOwnLoads() ? others : all;
    }

    /**
     * Returns the changes that may be tried: of every setting that matters here, that a scenario can set, and for which there is a value to
     * try.
     *
     * @param unchanged the experiment with everything that the user sets, in whichever way
     */
    private static List<WindowChange> changes(Request request, FarSide side, Experiment unchanged) {
        Trial trial = unchanged.trials().getFirst();
        List<WindowChange> changes = new ArrayList<>();
        for (WindowSetting setting : WindowSettings.of(side, request.protocol(), request.broker())) {
            boolean ofBroker = setting.key().contains("broker.");
            if (!setting.canBeTried() || ofBroker && !request.access().containsKey("broker.name")) {
                continue;
            }
            double now = now(request, setting, trial);
            String value = now == 0 ? null : setting.tried(now);
            if (value != null) {
                changes.add(new WindowChange(setting, now, value));
            }
        }
        return changes;
    }

    /** Returns the current value of a setting; 0 for one that limits nothing here, NaN when it is not known. */
    private static double now(Request request, WindowSetting setting, Trial trial) {
        if (setting.place() == Component.ACKNOWLEDGEMENT) {
            return consumers(trial).filter(side -> side.ackMode() == AckMode.TRANSACTED).map(side -> (double) side.batch()).orElse(0.0);
        }
        return said(request, setting.key().split(",")[0], trial).orElse(request.isTopic() ? setting.topicValue() : setting.value());
    }

    private static Optional<ConsumerGroupSpec> consumers(Trial trial) {
        return trial.workload().scenario().consumers().stream().findFirst();
    }

    /** Returns the value that the scenario gives a key; empty when it does not set the key. */
    private static Optional<Double> said(Request request, String key, Trial trial) {
        if (key.startsWith(KNOB)) {
            return text(WindowScenario.parameters(request.access().getOrDefault("url", "")), key.substring(KNOB.length()));
        }
        int properties = key.indexOf(PROPERTIES);
        if (properties > 0) {
            String name = key.substring(properties + PROPERTIES.length());
            BrokerChoice broker = trial.broker();
            return switch (key.substring(0, properties)) {
                case "broker" -> broker == null ? Optional.empty() : text(broker.options().properties(), name);
                case "producers" -> trial.workload().producers().stream().findFirst().flatMap(access -> text(access.properties(), name));
                default -> trial.workload().consumers().stream().findFirst().flatMap(access -> text(access.properties(), name));
            };
        }
        return switch (key) {
            case "producers.maxPending" ->
                trial.workload().scenario().producers().stream().findFirst().map(side -> (double) side.maxPending());
            case "consumers.prefetch" -> consumers(trial).filter(side -> side.prefetch() >= 0).map(side -> (double) side.prefetch());
            default -> Optional.empty();
        };
    }

    private static Optional<Double> text(Map<String, String> values, String name) {
        return Optional.ofNullable(values.get(name)).map(WindowPlan::number);
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
