package io.brokermeter.cli.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The tools as a list of them describes them: names, purposes and arguments. */
final class ToolList {

    static final String MEASURE = "measure";
    static final String SEARCH = "search";
    static final String COMPARE = "compare";
    static final String REPORT = "report";

    private static final Map<String, Object> BROKER =
        text("What to measure: the name of a broker to start for this call (artemis, activemq, kafka, "
            + "rabbitmq, mosquitto, nats, redis, rocketmq, qpid, beanstalkd; a version may follow, kafka:4.1.0), or the URL of one that runs, as "
            + "amqp://127.0.0.1:5672. loopback://a is a broker in memory.");
    private static final Map<String, Object> RATE =
        text("Messages a second of all producers together, as 5000/s or 20k/s. Default: as many as "
            + "it takes.");
    private static final Map<String, Object> VARIANT = Map.of("type", "object", "description",
        "What this side changes, by the names of the other arguments or by keys as in settings: {\"broker.version\": \"2.44.0\"} or {\"rate\": \"10k/s\"}.");

    private ToolList() {}

    private record Tool(String name, String description, Map<String, Object> arguments, List<String> required, boolean reads) {

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("name", name);
            all.put("description", description);
            all.put("inputSchema", ordered("type", "object", "properties", arguments, "required", required, "additionalProperties", false));
            all.put("outputSchema", ordered("type", "object", "properties", ordered(
                "run", text("Name by which the tool report knows it."),
                "verdict", text("What the figures are worth, in a word."),
                "sentences", ordered("type", "array", "items", Map.of("type", "string"), "description",
                    "The result in words, with intervals, and what speaks against it.")),
                "required", List.of("run", "verdict", "sentences")));
            all.put("annotations", ordered("readOnlyHint", reads, "destructiveHint", false, "openWorldHint", !reads));
            return all;
        }
    }

    private static final List<Tool> TOOLS = List.of(
        new Tool(MEASURE,
            "Put a load on a message broker for some seconds and say how long messages took, with intervals of 95 %, whether any was "
                + "lost or came twice, and whether the figures are the broker's or the generator's own. Response times count from the moment at which a "
                + "message was due. A verdict other than Passed means that the figures must not be quoted without its reasons.",
            load(true), List.of("broker"), false),
        new Tool(SEARCH,
            "Find the highest rate at which a broker keeps goals, with an interval of 98 %, by many short trials; takes some minutes.",
            search(), List.of("broker"), false),
        new Tool(COMPARE,
            "Say whether two settings or versions differ, and by how much: measures them in turn, from 8 to 30 pairs of trials, until the "
                + "ratio is known within 3 % or the time is over; or compares earlier runs, at least 6 of each side. Use it instead of two calls of "
                + "measure, whose difference may be chance.",
            compare(), List.of(), false),
        new Tool(REPORT, "Say again what an earlier call or run came to.", report(), List.of(), true));

    /** Returns the tools, always in the same order. */
    static List<Map<String, Object>> json() {
        return TOOLS.stream().map(Tool::json).toList();
    }

    /** Returns the names of a tool's arguments; null for a tool that there is not. */
    static @Nullable Set<String> arguments(String tool) {
        return TOOLS.stream().filter(one -> one.name.equals(tool)).map(one -> one.arguments.keySet()).findFirst().orElse(null);
    }

    private static Map<String, Object> load(boolean lasts) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("broker", BROKER);
        all.put("protocol", text(
            "CORE, AMQP, AMQP091, MQTT, OPENWIRE, STOMP, KAFKA, ROCKETMQ, NATS, REDIS or BEANSTALKD. Default: that of the URL, else the "
                + "broker's first."));
        all.put("destination", text("queue://NAME or topic://NAME. Default: queue://TEST."));
        all.put("messageSize", text("Bytes of a body, as 1KiB. Default: 1KiB."));
        all.put("producers", text("Number of producers; 0 only receives. Default: 1."));
        all.put("consumers", text("Number of consumers; 0 only sends. Default: 1."));
        all.put("maxPending",
            text("Sends of a producer that may wait for the broker's confirmation; 1 is one after the other. Default: 100."));
        if (lasts) {
            all.put("rate", RATE);
            all.put("duration", text("How long, warm-up included, as 30s. Default: 15s."));
            all.put("warmup", text("How much of the beginning does not count, or auto. Default: auto."));
            all.put("thresholds", texts("Limits that figures must keep, as 'response.p99 < 10ms'."));
        }
        all.put("settings",
            Map.of("type", "object", "description", "Further keys of a scenario file with their values: {\"message.persistent\": true, "
                + "\"broker.heap\": \"2g\", \"consumers.ackMode\": \"batch\"}. Keys that do not exist are refused with the nearest one."));
        return all;
    }

    private static Map<String, Object> search() {
        Map<String, Object> all = load(false);
        all.put("goals", texts("Limits of each trial besides that nothing is lost and the rate is kept. Default: response.p99 < 50ms."));
        all.put("from", text("Lowest rate. Default: 10/s."));
        all.put("to", text("Highest rate."));
        all.put("quick", ordered("type", "boolean", "description", "Trials of 10 s in place of 30 s. Default: true."));
        all.put("time", text("Limit for all of it. Default: what a call may take."));
        return all;
    }

    private static Map<String, Object> compare() {
        Map<String, Object> all = load(true);
        all.put("a", VARIANT);
        all.put("b", VARIANT);
        all.put("figure",
            text("What decides: response.p99, throughput, ... Default: response.p99 where a rate is given, else throughput."));
        all.put("time", text("Limit for all of it. Default: what a call may take."));
        all.put("runs", texts("Names of earlier runs instead of all other arguments but figure; several of one side with commas between."));
        return all;
    }

    private static Map<String, Object> report() {
        return ordered("run", text("Name of a run as an earlier answer gave it, or last, or last~1 for the one before. Default: last."),
            "page", ordered("type", "boolean", "description",
                "Whether to write a page with charts for people, too; the answer says where. Default: false."));
    }

    private static Map<String, Object> text(String description) {
        return ordered("type", List.of("string", "number"), "description", description);
    }

    private static Map<String, Object> texts(String description) {
        return ordered("type", "array", "items", Map.of("type", "string"), "description", description);
    }

    /** Returns a map whose names keep their order. */
    static Map<String, Object> ordered(Object... namesAndValues) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            all.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return all;
    }
}
