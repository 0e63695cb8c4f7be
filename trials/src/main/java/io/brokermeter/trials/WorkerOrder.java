package io.brokermeter.trials;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is told, as one line of JSON on its standard input: no process list and no file shows that.
 *
 * @param directory where the run's files go; its {@code scenario.yaml} says what to run
 * @param id the run's name
 * @param suffix comes behind the name of each destination
 * @param ways the endpoint of each group, by its {@linkplain Workload.Group#key key}
 * @param pids processes of the broker, empty when they are to be found by its URLs
 * @param watching what of the broker is watched
 */
record WorkerOrder(
        Path directory, String id, String suffix, Map<String, Way> ways, List<Long> pids, Watching watching) {

    /** An endpoint, with its password. */
    record Way(String protocol, String url, @Nullable String password) {

        @Override
        public String toString() {
            return protocol + " " + url;
        }
    }

    String json() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("directory", directory.toString());
        all.put("id", id);
        all.put("suffix", suffix);
        Map<String, Map<String, @Nullable Object>> endpoints = new LinkedHashMap<>();
        ways.forEach((group, way) -> {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("protocol", way.protocol);
            one.put("url", way.url);
            one.put("password", way.password);
            endpoints.put(group, one);
        });
        all.put("ways", endpoints);
        all.put("pids", pids);
        all.put("brokerPids", watching.pids());
        all.put("jmx", watching.jmx());
        all.put("metrics", watching.metrics());
        all.put("metricNames", watching.names());
        return JsonText.of(all);
    }

    /** @throws IllegalArgumentException when it is none */
    static WorkerOrder read(String json) {
        Map<String, @Nullable Object> all = JsonText.read(json);
        Map<String, Way> ways = new LinkedHashMap<>();
        if (all.get("ways") instanceof Map<?, ?> endpoints) {
            endpoints.forEach((group, one) -> {
                Map<?, ?> way = (Map<?, ?>) one;
                Object password = way.get("password");
                ways.put(String.valueOf(group), new Way(String.valueOf(way.get("protocol")), String.valueOf(way.get("url")),
                    password == null ? null : password.toString()));
            });
        }
        List<Long> pids = new ArrayList<>();
        list(all, "pids").forEach(pid -> pids.add(((Number) pid).longValue()));
        return new WorkerOrder(Path.of(text(all, "directory")), text(all, "id"), text(all, "suffix"), ways, pids, new Watching(
            optional(all, "brokerPids"), optional(all, "jmx"), optional(all, "metrics"),
            list(all, "metricNames").stream().map(String::valueOf).toList()));
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
