package io.brokermeter.trials.sweep;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.analysis.window.DistantTrial;
import io.brokermeter.analysis.window.FarSide;

/** The scenario files of the trials of a window plan. */
final class WindowScenario {

    /** The number of unconfirmed sends of a producer when the user sets none: more than a client or a broker allows by itself. */
    private static final int PENDING = 10_000;
    /** The longest wait for a broker that takes as many slowly. It costs no time where the broker is quick. */
    static final Duration DRAIN = Duration.ofSeconds(60);
    /** The same with a far consumer: the near producer is confirmed at once, and what it was ahead of the window is not waited for. */
    private static final Duration DRAIN_BEHIND_CONSUMER = Duration.ofSeconds(5);
    static final String KNOBS = "LOOPBACK";
    static final String RATE = "load.rate";

    private WindowScenario() {}

    /** Returns the key that has the round-trip time of a trial. */
    static String distance(WindowPlan.Request request, FarSide side) {
        return request.protocol().equals(KNOBS) ? "url" : side.group() + ".network";
    }

    /**
     * Returns the text of the scenario file of trials.
     *
     * @param keys the keys that vary
     * @param knobs parameters of the loopback broker
     */
    static String text(WindowPlan.Request request, FarSide side, List<String> keys, List<DistantTrial> points, Map<String, String> knobs) {
        boolean near = request.protocol().equals(KNOBS);
        Map<String, String> access = new LinkedHashMap<>(request.access());
        StringBuilder text = new StringBuilder("title: ").append(quoted("A " + side.word() + " far away")).append('\n');
        if (access.keySet().stream().anyMatch(key -> key.startsWith("broker."))) {
            text.append("broker: {").append(access.entrySet().stream().filter(entry -> entry.getKey().startsWith("broker."))
                .map(entry -> entry.getKey().substring("broker.".length()) + ": " + quoted(entry.getValue()))
                .collect(Collectors.joining(", "))).append(", fresh: ").append(request.isTopic() ? "sweep" : "trial").append("}\n");
        }
        access.forEach((key, value) -> {
            if (!key.contains(".") && !(near && key.equals("url"))) {
                text.append(key).append(": ").append(quoted(value)).append('\n');
            }
        });
        text.append("destinations: [").append(quoted(request.destination())).append("]\n");
        text.append("producers: {maxPending: ").append(PENDING).append("}\nconsumers: {name: consumers}\n");
        text.append("drainTimeout: ").append((side == FarSide.PRODUCER ? DRAIN : DRAIN_BEHIND_CONSUMER).toSeconds())
            .append("s\ninterval: 100ms\nallowLoss: true\nload: {rate: 1/s}\n")
            .append("duration: 5s\nwarmup: 2s\norder: interleaved\n");
        text.append("sweep:\n  mode: zip\n");
        axis(text, distance(request, side), points, point -> quoted(near
            ? url(access.getOrDefault("url", ""), side, point, knobs) : "rtt=" + millis(point.roundTrip())));
        axis(text, "message.size", points, point -> String.format(Locale.ROOT, "%.0f", point.size()));
        if (keys.contains(RATE)) {
            axis(text, RATE, points,
                point -> Double.isInfinite(point.most()) ? "unlimited" : String.format(Locale.ROOT, "%.0f/s", point.most()));
        }
        axis(text, "warmup", points, point -> seconds(point.warmup()));
        axis(text, "duration", points, point -> seconds(point.warmup() + point.seconds()));
        return text.toString();
    }

    private static void axis(StringBuilder text, String path, List<DistantTrial> points, Function<DistantTrial, String> value) {
        text.append("  ").append(path).append(": [").append(points.stream().map(value).collect(Collectors.joining(", "))).append("]\n");
    }

    /** Returns the URL of a loopback broker at the distance of a point. */
    private static String url(String url, FarSide side, DistantTrial point, Map<String, String> knobs) {
        int query = url.indexOf('?');
        Map<String, String> all = parameters(url);
        all.put(side.word() + "-rtt", millis(point.roundTrip()));
        all.putAll(knobs);
        return (query < 0 ? url : url.substring(0, query)) + "?"
            + all.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()).collect(Collectors.joining("&"));
    }

    /** Returns the parameters behind the question mark of a URL. */
    static Map<String, String> parameters(String url) {
        Map<String, String> all = new LinkedHashMap<>();
        int query = url.indexOf('?');
        if (query >= 0) {
            for (String part : url.substring(query + 1).split("&")) {
                int equals = part.indexOf('=');
                all.put(equals < 0 ? part : part.substring(0, equals), part.substring(equals + 1));
            }
        }
        return all;
    }

    private static String millis(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds * 1e3).replaceAll("\\.?0+$", "") + "ms";
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1fs", seconds).replace(".0s", "s");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
