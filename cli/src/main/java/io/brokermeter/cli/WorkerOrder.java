package io.brokermeter.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is told, as one line of JSON on its standard input: no process list and no file shows that.
 *
 * @param directory where the run's files go; its {@code scenario.yaml} says what to run
 * @param id the run's name
 * @param suffix comes behind the name of each destination
 * @param ways the endpoints of the groups of producers and then of consumers, in their order
 * @param pids processes of the broker, empty when they are to be found by its URLs
 * @param observation the options of the observation, in their order; null for each that is not set
 * @param metrics names of further metrics
 */
record WorkerOrder(
        Path directory, String id, String suffix, List<Way> ways, List<Long> pids, List<@Nullable String> observation,
        List<String> metrics) {

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
        List<Map<String, @Nullable Object>> endpoints = new ArrayList<>();
        for (Way way : ways) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("protocol", way.protocol);
            one.put("url", way.url);
            one.put("password", way.password);
            endpoints.add(one);
        }
        all.put("ways", endpoints);
        all.put("pids", pids);
        all.put("observation", observation);
        all.put("metrics", metrics);
        return JsonText.of(all);
    }

    /** @throws IllegalArgumentException when it is none */
    static WorkerOrder read(String json) {
        Map<String, @Nullable Object> all = JsonText.read(json);
        List<Way> ways = new ArrayList<>();
        for (Object one : list(all, "ways")) {
            Map<?, ?> way = (Map<?, ?>) one;
            Object password = way.get("password");
            ways.add(new Way(String.valueOf(way.get("protocol")), String.valueOf(way.get("url")),
                    password == null ? null : password.toString()));
        }
        List<Long> pids = new ArrayList<>();
        list(all, "pids").forEach(pid -> pids.add(((Number) pid).longValue()));
        List<@Nullable String> observation = new ArrayList<>();
        for (Object option : list(all, "observation")) {
            observation.add(option == null ? null : option.toString());
        }
        return new WorkerOrder(Path.of(text(all, "directory")), text(all, "id"), text(all, "suffix"), ways, pids, observation,
                list(all, "metrics").stream().map(String::valueOf).toList());
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
