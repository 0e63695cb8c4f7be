package io.brokermeter.trials;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.JsonText;
import io.brokermeter.trials.agents.SentEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * The order to a worker: one line of JSON on its standard input, which no process list and no file shows.
 *
 * @param directory directory of the run's files, whose {@code scenario.yaml} says what to run
 * @param id name of the run
 * @param suffix text that is appended to the name of each destination
 * @param ways the endpoint of each group, by its {@linkplain Workload.Group#key key}
 * @param pids process ids of the broker, empty when they are to be found by its URLs
 * @param watching how the broker is observed
 */
record WorkerOrder(
        Path directory, String id, String suffix, Map<String, SentEndpoint> ways, List<Long> pids, ObservationRequest watching) {

    String json() {
        return JsonText.of(JsonText.components(this));
    }

    /** @throws IllegalArgumentException when the text is no order */
    static WorkerOrder read(String json) {
        Map<String, @Nullable Object> all = JsonText.read(json);
        Map<String, SentEndpoint> ways = new LinkedHashMap<>();
        Map<String, @Nullable Object> endpoints = JsonText.map(all.get("ways"));
        endpoints.keySet().forEach(group -> {
            Map<String, @Nullable Object> way = JsonText.map(endpoints.get(group));
            Map<String, String> properties = new LinkedHashMap<>();
            JsonText.map(way.get("properties")).forEach((name, value) -> properties.put(name, String.valueOf(value)));
            ways.put(group,
                new SentEndpoint(text(way, "protocol"), text(way, "url"), optional(way, "user"), optional(way, "password"), properties));
        });
        Map<String, @Nullable Object> watching = JsonText.map(all.get("watching"));
        return new WorkerOrder(Path.of(text(all, "directory")), text(all, "id"), text(all, "suffix"), ways,
            list(all, "pids").stream().map(pid -> ((Number) pid).longValue()).toList(),
            new ObservationRequest(optional(watching, "pids"), optional(watching, "jmx"), optional(watching, "metrics"),
                list(watching, "names").stream().map(String::valueOf).toList()));
    }

    private static @Nullable String optional(Map<String, @Nullable Object> all, String name) {
        Object value = all.get(name);
        return value == null ? null : value.toString();
    }

    private static String text(Map<String, @Nullable Object> all, String name) {
        return String.valueOf(all.get(name));
    }

    private static List<?> list(Map<String, @Nullable Object> all, String name) {
        if (all.get(name) instanceof List<?> list) {
            return list;
        }
        throw new IllegalArgumentException("The order has no " + name);
    }
}
