package io.brokermeter.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Comparisons with ProducerPerformance and ConsumerPerformance of Kafka and with rdkafka_performance of librdkafka, on a Kafka broker. The
 * last one sends one body again and again, keeps no ledger, and consumes without a group.
 */
final class KafkaArena extends ThrowawayArena {

    private static final String VERSION = "4.3.1";
    /** The messages per second that make a run about as long as requested; each side handles the same number. */
    private static final int SMALL_PER_SECOND = 150_000;
    private static final int LARGE_PER_SECOND = 40_000;
    private static final String NATIVE = "-native";
    /** The factor of messages to consume: consuming is several times as fast as producing, and start-up should not outweigh the work. */
    private static final int CONSUMED = 4;

    KafkaArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        List<String> java = List.of("kafka-produce-100", "kafka-produce-1k", "kafka-consume-100", "kafka-consume-1k");
        return Stream.concat(java.stream(), java.stream().map(name -> name + NATIVE)).toList();
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
            consume(jars, server, "kafka-consume-1k", 1024, CONSUMED * LARGE_PER_SECOND),
            produceNative(server, "kafka-produce-100", 100, SMALL_PER_SECOND),
            produceNative(server, "kafka-produce-1k", 1024, LARGE_PER_SECOND),
            consumeNative(server, "kafka-consume-100", 100, CONSUMED * SMALL_PER_SECOND),
            consumeNative(server, "kafka-consume-1k", 1024, CONSUMED * LARGE_PER_SECOND));
    }

    /** Both sides collect batches of up to 1 MB for 5 ms, which is librdkafka's default. */
    private ToolComparison produceNative(String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        ComparedTool theirs = new ComparedTool(topic -> {
            site.send("--url", "kafka://" + server, "--property", "partitions=1", "--message-count", "1", "topic://" + topic);
            return List.of("rdkafka_performance", "-P", "-t", topic, "-p", "0", "-b", server, "-s", String.valueOf(size), "-c", count, "-a",
                "-1", "-X", "linger.ms=5", "-X", "batch.size=1000000", "-q");
        }, lines -> new OutputReader.Outcome(OutputReader.number(lines, ".* (\\d+) delivered \\(.*"),
            OutputReader.number(lines, ".* delivered \\(.*: (\\d+) msgs/s and .*"), Map.of()));
        return new ToolComparison(name + NATIVE, "rdkafka_performance of librdkafka, batches of 1 MB, " + size + " B, " + count
            + " messages, without a ledger", false, theirs, producer(server, "?linger.ms=5&batch.size=1000000", count, size));
    }

    private ToolComparison consumeNative(String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        Fill fill = new Fill(server, name + NATIVE, count, size);
        ComparedTool theirs = new ComparedTool(_ -> {
            fill.once();
            return List.of("rdkafka_performance", "-C", "-t", fill.topic, "-p", "0", "-b", server, "-o", "beginning", "-c", count, "-B",
                "1000", "-q");
        }, lines -> new OutputReader.Outcome(OutputReader.number(lines, "% (\\d+) messages \\(.* consumed in .*"),
            OutputReader.number(lines, ".* consumed in .*: (\\d+) msgs/s .*"), Map.of()));
        return new ToolComparison(name + NATIVE, "rdkafka_performance of librdkafka, " + size + " B, " + count
            + " messages, without a group and a ledger", false, theirs, consumer(server, fill, count));
    }

    private ToolComparison produce(String jars, String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        ComparedTool theirs = new ComparedTool(topic -> List.of(site.java(), "-Xmx512m", "-cp", jars,
            "org.apache.kafka.tools.ProducerPerformance", "--bootstrap-server", server, "--topic", topic, "--num-records",
            count, "--record-size", String.valueOf(size), "--throughput", "-1"), KafkaArena::produced);
        return new ToolComparison(name, "Kafka ProducerPerformance " + VERSION + ", " + size + " B, " + count + " records", false, theirs,
            producer(server, "", count, size));
    }

    private ComparedTool producer(String server, String settings, String count, int size) {
        return new ComparedTool(topic -> site.brokermeter("producer", "--url", "kafka://" + server + settings,
            "--property", "partitions=1", "--message-count", count, "--message-size", String.valueOf(size), "--max-pending", "0",
            "topic://" + topic), OutputReader.producer());
    }

    private static OutputReader.Outcome produced(List<String> lines) {
        return new OutputReader.Outcome(OutputReader.number(lines, "(\\d+) records sent, .*99\\.9th\\.?.*"),
            OutputReader.number(lines, "\\d+ records sent, ([0-9.]+) records/sec .*99\\.9th\\.?.*"), Map.of());
    }

    private ToolComparison consume(String jars, String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        Fill fill = new Fill(server, name, count, size);
        ComparedTool theirs = new ComparedTool(run -> {
            fill.once();
            return List.of(site.java(), "-Xmx512m", "-cp", jars, "org.apache.kafka.tools.ConsumerPerformance",
                "--bootstrap-server", server, "--topic", fill.topic, "--num-records", count, "--group", run, "--hide-header");
        }, KafkaArena::consumed);
        return new ToolComparison(name, "Kafka ConsumerPerformance " + VERSION + ", " + size + " B, " + count + " records", false, theirs,
            consumer(server, fill, count));
    }

    /** Like that of their consumer, the group of a queue begins with the stored messages, and does not check sums. */
    private ComparedTool consumer(String server, Fill fill, String count) {
        return new ComparedTool(run -> {
            fill.once();
            return site.brokermeter("consumer", "--url", "kafka://" + server + "?check.crcs=false", "--property", "group=" + run,
                "--message-count", count, "queue://" + fill.topic);
        }, OutputReader.receiver());
    }

    private static OutputReader.Outcome consumed(List<String> lines) {
        String cells = "\\d{4}-.*?, .*?, [0-9.]+, [0-9.]+, ";
        return new OutputReader.Outcome(OutputReader.number(lines, cells + "(\\d+), .*"),
            OutputReader.number(lines, cells + "\\d+, ([0-9.]+), .*"), Map.of());
    }

    /** Fills a topic before the first run of a comparison. */
    private final class Fill {

        private final String topic;
        private final String[] arguments;
        private boolean done;

        Fill(String server, String comparison, String count, int size) {
            topic = comparison.toUpperCase(Locale.ROOT) + "_FILLED";
            arguments = new String[] {"--url", "kafka://" + server, "--property", "partitions=1", "--message-count", count,
                "--message-size", String.valueOf(size), "--max-pending", "0", "topic://" + topic};
        }

        void once() {
            if (!done) {
                done = true;
                site.send(arguments);
            }
        }
    }
}
