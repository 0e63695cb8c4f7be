package io.brokermeter.bench;

import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Comparisons with {@code mosquitto_pub -l} and {@code mosquitto_sub -C} over MQTT 3.1.1 with QoS 1, on Mosquitto without a file. The former
 * publishes each line of its input, all of which it reads into memory, with at most 20 in flight, and looks every 100 ms whether it is done;
 * neither keeps a ledger or measures a time.
 */
final class MosquittoArena extends ThrowawayArena {

    private static final String PUBLISH = "mqtt-publish-1k-native";
    private static final String SUBSCRIBE = "mqtt-subscribe-1k-native";
    private static final int SIZE = 1024;
    /**
     * The lines of one {@code mosquitto_pub}. It ends at the first confirmation with the packet identifier of its last line, so that of
     * more than 65,535 lines the rest would be lost without a word; a run starts one after another.
     */
    private static final int LINES = 60_000;
    /** About the messages that are received in a second, each side the same number; the broker has them all in memory. */
    private static final int RECEIVED_PER_SECOND = 80_000;
    /** What {@code mosquitto_pub} has in flight by default. */
    private static final String PENDING = "20";
    private static final String FILLING_PENDING = "1000";

    MosquittoArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of(PUBLISH, SUBSCRIBE);
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        Broker started = start("mosquitto", BrokerOptions.defaults().withPersistent(false));
        return List.of(publish(String.valueOf(started.port())), subscribe(String.valueOf(started.port())));
    }

    private ToolComparison publish(String port) {
        // One takes about a second.
        int processes = site.seconds();
        long count = (long) LINES * processes;
        ComparedTool theirs = new ComparedTool(topic -> List.of("sh", "-c",
            "i=0; while [ $i -lt " + processes + " ]; do i=$((i + 1)); mosquitto_pub -h 127.0.0.1 -p " + port + " -q 1 -t " + topic
                + " -M " + PENDING + " -l < \"$1\" || exit; done",
            "sh", site.prepared("lines", "x".repeat(SIZE) + "\n", LINES)), OutputReader.counted(count));
        return new ToolComparison(PUBLISH, "mosquitto_pub -l, QoS 1, " + SIZE + " B, " + PENDING + " in flight, " + processes + " times "
            + LINES + " lines, without a ledger", false, theirs,
            new ComparedTool(topic -> BenchLayout.plus(site.brokermeter("producer"), sending(port, count, PENDING, topic)),
                OutputReader.producer()));
    }

    /** Both receive what waits in a session that the broker has kept, 20 in flight by its default. */
    private ToolComparison subscribe(String port) {
        long count = (long) RECEIVED_PER_SECOND * site.seconds();
        ComparedTool theirs = new ComparedTool(topic -> {
            List<String> command =
                List.of("mosquitto_sub", "-h", "127.0.0.1", "-p", port, "-q", "1", "-t", topic, "-c", "-i", topic);
            site.call(BenchLayout.plus(command, "-E"));
            fill(port, count, topic);
            return BenchLayout.plus(List.of("sh", "-c", "exec \"$@\" > /dev/null", "sh"),
                BenchLayout.plus(command, "-C", String.valueOf(count)).toArray(String[]::new));
        }, OutputReader.counted(count));
        ComparedTool ours = new ComparedTool(topic -> {
            List<String> command = site.brokermeter("consumer", "--url", url(port), "--durable", "--clientID", topic);
            site.call(BenchLayout.plus(command, "--keep-subscriptions", "--duration", "1", "topic://" + topic));
            fill(port, count, topic);
            return BenchLayout.plus(command, "--message-count", String.valueOf(count), "topic://" + topic);
        }, OutputReader.receiver());
        return new ToolComparison(SUBSCRIBE, "mosquitto_sub -C, QoS 1, " + SIZE + " B, a backlog of " + count
            + " messages, without a ledger", false, theirs, ours);
    }

    private void fill(String port, long count, String topic) {
        site.send(sending(port, count, FILLING_PENDING, topic));
    }

    private static String[] sending(String port, long count, String pending, String topic) {
        return new String[] {"--url", url(port), "--message-count", String.valueOf(count), "--message-size",
            String.valueOf(SIZE), "--max-pending", pending, "topic://" + topic};
    }

    private static String url(String port) {
        return "mqtt://127.0.0.1:" + port + "?version=3.1.1&qos=1";
    }
}
