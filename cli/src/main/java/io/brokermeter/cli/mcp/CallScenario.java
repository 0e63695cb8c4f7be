package io.brokermeter.cli.mcp;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;

/**
 * The scenario file of a call: its arguments as keys, in the one form of which every command makes a run. A call is not trusted, so the
 * file is read here first, and refused where it would reach a broker, a file or a program that the user did not allow.
 */
final class CallScenario {

    private static final String ORIGIN = "the call";
    private static final String OWN_DESTINATION = "queue://TEST";
    private static final String WINDOW = "100";
    private static final String DURATION = "15s";
    /** The keys that {@code settings} may set, by their first name. */
    private static final Set<String> OPEN = Set.of("broker", "message", "producers", "consumers", "load", "phases", "interval",
        "drainTimeout", "allowLoss", "allowOverload", "reconnect", "reconnectLimit", "pacing", "seed", "protocol", "properties",
        "connectTimeout", "faults", "network", "labels");
    /** The keys below which a name may have dots. */
    private static final Set<String> NAMES = Set.of("properties", "headers", "labels");

    /** Arguments that set one key, by the key. */
    static final Map<String, String> KEYS = keys();

    private final AllowedBrokers brokers;
    private final CallLimits limits;
    private final Map<String, Object> file = new LinkedHashMap<>();
    private AllowedBrokers.@Nullable Way way;

    private CallScenario(AllowedBrokers brokers, CallLimits limits) {
        this.brokers = brokers;
        this.limits = limits;
    }

    private static Map<String, String> keys() {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("rate", "load.rate");
        keys.put("messageSize", "message.size");
        keys.put("producers", "producers.count");
        keys.put("consumers", "consumers.count");
        keys.put("maxPending", "producers.maxPending");
        keys.put("protocol", "protocol");
        return keys;
    }

    /**
     * Makes the scenario of a call.
     *
     * @param lasts whether the call says how long the load lasts
     * @throws UsageException with one sentence for what the caller must change
     */
    static CallScenario of(CallArguments call, AllowedBrokers brokers, CallLimits limits, boolean lasts) {
        CallScenario scenario = new CallScenario(brokers, limits);
        scenario.fill(call, lasts);
        return scenario;
    }

    private void fill(CallArguments call, boolean lasts) {
        file.put("name", call.tool());
        broker(call);
        List<Object> thresholds = new ArrayList<>(call.texts("thresholds"));
        if (lasts) {
            file.put("duration", call.time("duration", DURATION));
            file.put("warmup", call.time("warmup", "auto"));
        }
        set("producers.maxPending", WINDOW);
        set("consumers.count", "1");
        set("producers.destinations", List.of(call.text("destination", OWN_DESTINATION)));
        set("consumers.destinations", List.of(call.text("destination", OWN_DESTINATION)));
        KEYS.forEach((argument, key) -> {
            String value = call.text(argument);
            if (value != null) {
                set(key, value);
            }
        });
        for (String side : List.of("producers", "consumers")) {
            if ("0".equals(call.text(side))) {
                file.remove(side);
            }
        }
        call.map("settings").forEach((key, value) -> {
            if (!OPEN.contains(key.split("[.]", 2)[0])) {
                throw new UsageException(
                    "A call cannot set the key '" + key + "'; it can set " + String.join(", ", OPEN.stream().sorted().toList())
                        + " and what is below them.");
            }
            set(key, value);
        });
        if (lasts && file.containsKey("producers")) {
            thresholds.add("sent <= " + limits.messages() + ", abort");
        }
        if (!thresholds.isEmpty()) {
            file.put("thresholds", thresholds);
        }
    }

    private void broker(CallArguments call) {
        String broker = call.text("broker");
        if (broker == null) {
            throw new UsageException(
                "Say in 'broker' what to measure: the name of a broker to start, as artemis, kafka:4.1.0 or mosquitto, or "
                    + "the URL of one that runs.");
        }
        if (!broker.contains("://")) {
            set("broker.name", broker);
            return;
        }
        AllowedBrokers.Way found = brokers.way(broker);
        way = found;
        file.put("url", found.url());
        if (found.user() != null) {
            file.put("user", found.user());
        }
    }

    /** Sets a key at a path; an object at the path of another one is merged into it. */
    private void set(String path, Object value) {
        put(file, path, value);
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> section, String path, Object value) {
        int dot = path.indexOf('.');
        String name = dot < 0 ? path : path.substring(0, dot);
        if (dot < 0 && value instanceof Map<?, ?> more && section.get(name) instanceof Map<?, ?>) {
            more.forEach((key, one) -> put((Map<String, Object>) section.get(name), String.valueOf(key), one == null ? "" : one));
        } else if (dot < 0) {
            section.put(name, value);
        } else {
            if (!(section.get(name) instanceof Map<?, ?>)) {
                section.put(name, new LinkedHashMap<String, Object>());
            }
            Map<String, Object> below = (Map<String, Object>) section.get(name);
            if (NAMES.contains(name)) {
                below.put(path.substring(dot + 1), value);
            } else {
                put(below, path.substring(dot + 1), value);
            }
        }
    }

    /** Returns the password of the broker; null for none. */
    @Nullable Secret password() {
        return way == null ? null : way.password();
    }

    /**
     * Writes the file, under the name that a run's own has, and checks what it would do.
     *
     * @param first what the first of two variants changes, each {@code key=value}
     * @param second what the second changes; both are empty for a single run
     * @return the file
     * @throws UsageException with one sentence for what the caller must change
     */
    Path write(Path directory, List<String> first, List<String> second) throws IOException {
        Path text = directory.resolve(RunDirectory.SCENARIO);
        RunDirectory.write(text, JsonText.of(file));
        try {
            Experiment experiment =
                first.isEmpty() && second.isEmpty() ? ScenarioFile.read(JsonText.of(file), ORIGIN, directory, Changes.NONE)
                    : ScenarioFile.variants(text, Changes.NONE, first, second, 1);
            for (Trial trial : experiment.trials()) {
                check(trial.workload(), trial.broker());
            }
        } catch (UsageException e) {
            throw new UsageException(
                e.sentence(setting -> setting.key()).replaceAll("(?m)^(" + ORIGIN + "|\\Q" + text + "\\E)(:[0-9]+)*: ", ""));
        }
        return text;
    }

    private void check(Workload workload, @Nullable BrokerChoice broker) {
        for (Workload.Group group : workload.groups()) {
            EndpointChoice access = group.access();
            String url = access.url();
            if (url != null && !url.startsWith("#") && (way == null || !url.equals(way.url()))) {
                throw new UsageException("A call names its broker in 'broker', not by a key 'url'.");
            }
            if (access.passwordFile() != null || access.passwordVariable() != null
                || access.user() != null && (way == null || !access.user().equals(way.user()))) {
                throw new UsageException("A call carries no login: whoever starts 'brokermeter mcp' gives it with --allow-broker.");
            }
            PortableScenario.require(url == null ? "" : url, access.properties(), List.of(), Set.of());
        }
        if (broker != null) {
            PortableScenario.require("", broker.options().properties(), List.of(), Set.of());
            if (broker.options().address().isPresent()) {
                throw new UsageException("A broker that is started for a call listens on loopback alone.");
            }
        }
        if (workload.scenario().faults().stream().anyMatch(fault -> fault.action() == Fault.Action.RUN)) {
            throw new UsageException("A call runs no command of this machine.");
        }
        if (!PortableScenario.parcel(workload, ORIGIN).files().isEmpty()) {
            throw new UsageException("A call names no file of this machine.");
        }
        Duration length = length(workload);
        if (length.compareTo(limits.call()) > 0) {
            throw new UsageException("This takes " + length.toSeconds() + " s, and a call may measure for " + limits.call().toSeconds()
                + " s: give a shorter 'duration'.");
        }
    }

    /** Returns the longest time that the load of a workload lasts; one that searches has the length of its trials. */
    private static Duration length(Workload workload) {
        Limits its = workload.scenario().limits();
        Duration more = its.settles() ? Limits.firstPart(its.duration()).multipliedBy(2) : Duration.ZERO;
        return workload.scenario().length().plus(more);
    }

    /** Returns the time that a run of this scenario takes, as far as it is planned. */
    Duration planned() {
        return ScenarioFile.read(JsonText.of(file), ORIGIN, Path.of(""), Changes.NONE).trials().stream().map(Trial::workload)
            .map(CallScenario::length).findFirst().orElse(Duration.ZERO);
    }

    /** Returns changes of a variant as a command line takes them. */
    static List<String> changes(Map<String, Object> variant) {
        return variant.entrySet().stream().map(one -> {
            if (!OPEN.contains(KEYS.getOrDefault(one.getKey(), one.getKey()).split("[.]", 2)[0])) {
                throw new UsageException("A variant cannot change '" + one.getKey() + "'; it can change "
                    + String.join(", ", Stream.concat(KEYS.keySet().stream(), OPEN.stream()).sorted().distinct().toList())
                    + " and what is below them.");
            }
            String key = KEYS.getOrDefault(one.getKey(), one.getKey());
            Object value = one.getValue();
            return (key.equals("broker") ? "broker.name" : key) + "=" + (value instanceof Map<?, ?> map ? JsonText.of(named(map))
                : value instanceof List<?> ? list(value) : value);
        }).toList();
    }

    private static Map<String, Object> named(Map<?, ?> map) {
        Map<String, Object> all = new LinkedHashMap<>();
        map.forEach((name, value) -> all.put(String.valueOf(name), value == null ? "" : value));
        return all;
    }

    private static String list(Object value) {
        String object = JsonText.of(Map.of("list", value));
        return object.substring(object.indexOf(':') + 1, object.length() - 1);
    }
}
