package io.brokermeter.bench;

import java.util.List;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/** Comparisons with ProducerPerformance and ConsumerPerformance of Kafka, on a Kafka broker. */
final class KafkaArena extends ThrowawayArena {

    private static final String VERSION = "4.3.1";
    /** The messages per second that make a run about as long as requested; each side handles the same number. */
    private static final int SMALL_PER_SECOND = 150_000;
    private static final int LARGE_PER_SECOND = 40_000;
    /** The factor of messages to consume: consuming is several times as fast as producing, and start-up should not outweigh the work. */
    private static final int CONSUMED = 4;

    KafkaArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of("kafka-produce-100", "kafka-produce-1k", "kafka-consume-100", "kafka-consume-1k");
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        String jars = site.jars("kafka-tools-" + VERSION, "<groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId>"
            + "<version>" + VERSION + "</version>");
        Broker started = start("kafka", BrokerOptions.defaults());
        String server = "127.0.0.1:" + started.port();
        // The first start after Kafka was fetched prepares the tool for it, once on each machine.
        site.send("--url", "kafka://" + server, "--message-count", "1", "topic://FIRST");
        return List.of(
            produce(jars, server, "kafka-produce-100", 100, SMALL_PER_SECOND),
            produce(jars, server, "kafka-produce-1k", 1024, LARGE_PER_SECOND),
            consume(jars, server, "kafka-consume-100", 100, CONSUMED * SMALL_PER_SECOND),
            consume(jars, server, "kafka-consume-1k", 1024, CONSUMED * LARGE_PER_SECOND));
    }

    private ToolComparison produce(String jars, String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        ComparedTool theirs = new ComparedTool(topic -> List.of(site.java(), "-Xmx512m", "-cp", jars,
            "org.apache.kafka.tools.ProducerPerformance", "--bootstrap-server", server, "--topic", topic, "--num-records",
            count, "--record-size", String.valueOf(size), "--throughput", "-1"), KafkaArena::produced);
        ComparedTool ours = new ComparedTool(topic -> site.brokermeter("producer", "--url", "kafka://" + server,
            "--property", "partitions=1", "--message-count", count, "--message-size", String.valueOf(size), "--max-pending", "0",
            "topic://" + topic),
            OutputReader.producer());
        return new ToolComparison(name, "Kafka ProducerPerformance " + VERSION + ", " + size + " B, " + count + " records", false, theirs,
            ours);
    }

    private static OutputReader.Outcome produced(List<String> lines) {
        return new OutputReader.Outcome(OutputReader.number(lines, "(\\d+) records sent, .*99\\.9th\\.?.*"),
            OutputReader.number(lines, "\\d+ records sent, ([0-9.]+) records/sec .*99\\.9th\\.?.*"), Map.of());
    }

    private ToolComparison consume(String jars, String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        String topic = name.toUpperCase(java.util.Locale.ROOT) + "_FILLED";
        Fill fill = new Fill("--url", "kafka://" + server, "--property", "partitions=1", "--message-count", count, "--message-size",
            String.valueOf(size), "--max-pending", "0", "topic://" + topic);
        ComparedTool theirs = new ComparedTool(run -> {
            fill.once();
            return List.of(site.java(), "-Xmx512m", "-cp", jars, "org.apache.kafka.tools.ConsumerPerformance",
                "--bootstrap-server", server, "--topic", topic, "--num-records", count, "--group", run, "--hide-header");
        }, KafkaArena::consumed);
        ComparedTool ours = new ComparedTool(run -> {
            fill.once();
            // Like that of their consumer, the group of a queue begins with the stored messages. Their consumer uses these two client
            // settings as well.
            return site.brokermeter("consumer", "--url", "kafka://" + server + "?check.crcs=false&receive.buffer.bytes=2097152",
                "--property", "group=" + run, "--message-count", count, "queue://" + topic);
        }, OutputReader.receiver());
        return new ToolComparison(name, "Kafka ConsumerPerformance " + VERSION + ", " + size + " B, " + count + " records", false, theirs,
            ours);
    }

    private static OutputReader.Outcome consumed(List<String> lines) {
        String cells = "\\d{4}-.*?, .*?, [0-9.]+, [0-9.]+, ";
        return new OutputReader.Outcome(OutputReader.number(lines, cells + "(\\d+), .*"),
            OutputReader.number(lines, cells + "\\d+, ([0-9.]+), .*"), Map.of());
    }

    /** Fills a topic before the first run of a comparison. */
    private final class Fill {

        private final String[] arguments;
        private boolean done;

        Fill(String... arguments) {
            this.arguments = arguments;
        }

        void once() {
            if (!done) {
                done = true;
                site.send(arguments);
            }
        }
    }
}
