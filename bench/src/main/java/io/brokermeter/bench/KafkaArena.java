package io.brokermeter.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * Comparisons with ProducerPerformance and ConsumerPerformance of Kafka and with rdkafka_performance of librdkafka, on a Kafka broker. The
 * last one sends one body again and again, keeps no ledger, and consumes without a group. The topic of a run is deleted before the next
 * run, so that all of them together take no more of the disk than the largest two.
 */
final class KafkaArena extends ThrowawayArena {

    private static final String VERSION = "4.3.1";
    /** The messages per second that make a run about as long as requested; each side handles the same number. */
    private static final int SMALL_PER_SECOND = 150_000;
    private static final int LARGE_PER_SECOND = 40_000;
    private static final String NATIVE = "-native";
    /** The same for librdkafka, whose start costs nothing: ours costs seconds of CPU, which so few messages would share. */
    private static final int NATIVE_SMALL_PER_SECOND = 1_500_000;
    private static final int NATIVE_LARGE_PER_SECOND = 200_000;
    private static final int NATIVE_SMALL_CONSUMED_PER_SECOND = 1_500_000;
    /** About half of what is consumed in a second: the stored messages are to stay in memory. */
    private static final int NATIVE_LARGE_CONSUMED_PER_SECOND = 400_000;
    /** The settings of batches of 1 MB, librdkafka's defaults. */
    private static final List<String> LARGE_BATCHES = List.of("linger.ms=5", "batch.size=1000000");
    /** The factor of messages to consume: consuming is several times as fast as producing, and start-up should not outweigh the work. */
    private static final int CONSUMED = 4;

    private static final String OWN_DEFAULTS = "kafka-produce-1k-defaults" + NATIVE;
    private static final String SMALL_BATCHES = "kafka-produce-1k-16k" + NATIVE;

    /** The topic that the last run has filled. */
    private @Nullable String filled;

    KafkaArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        List<String> java = List.of("kafka-produce-100", "kafka-produce-1k", "kafka-consume-100", "kafka-consume-1k");
        return Stream.of(java.stream(), java.stream().map(name -> name + NATIVE), Stream.of(OWN_DEFAULTS, SMALL_BATCHES))
            .flatMap(each -> each).toList();
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        String jars = site.jars("kafka-tools-" + VERSION, "<groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId>"
            + "<version>" + VERSION + "</version>");
        // Kafka keeps the files of a deleted topic for a minute.
        Broker started = start("kafka", BrokerOptions.defaults().withProperty("log.segment.delete.delay.ms", "1000"));
        String server = "127.0.0.1:" + started.port();
        // The first start after Kafka was fetched prepares the tool for it, once on each machine.
        site.send("--url", "kafka://" + server, "--message-count", "1", "topic://FIRST");
        return List.of(
            produce(jars, server, "kafka-produce-100", 100, SMALL_PER_SECOND),
            produce(jars, server, "kafka-produce-1k", 1024, LARGE_PER_SECOND),
            consume(jars, server, "kafka-consume-100", 100, CONSUMED * SMALL_PER_SECOND),
            consume(jars, server, "kafka-consume-1k", 1024, CONSUMED * LARGE_PER_SECOND),
            produceNative(server, "kafka-produce-100" + NATIVE, "batches of 1 MB", 100, NATIVE_SMALL_PER_SECOND, LARGE_BATCHES,
                LARGE_BATCHES),
            produceNative(server, "kafka-produce-1k" + NATIVE, "batches of 1 MB", 1024, NATIVE_LARGE_PER_SECOND, LARGE_BATCHES,
                LARGE_BATCHES),
            consumeNative(server, "kafka-consume-100" + NATIVE, 100, NATIVE_SMALL_CONSUMED_PER_SECOND),
            consumeNative(server, "kafka-consume-1k" + NATIVE, 1024, NATIVE_LARGE_CONSUMED_PER_SECOND),
            produceNative(server, OWN_DEFAULTS, "its batches of 1 MB and ours of 16 KiB", 1024, NATIVE_LARGE_PER_SECOND, List.of(),
                List.of()),
            produceNative(server, SMALL_BATCHES, "batches of 16 KiB", 1024, NATIVE_LARGE_PER_SECOND,
                List.of("linger.ms=5", "batch.size=16384"), List.of()));
    }

    /**
     * @param theirs librdkafka's settings
     * @param ours the settings of Kafka's client, whose defaults are batches of 16 KiB and 5 ms
     */
    private ToolComparison produceNative(String server, String name, String batches, int size, int perSecond, List<String> theirs,
            List<String> ours) {
        String count = String.valueOf((long) perSecond * site.seconds());
        ComparedTool other = new ComparedTool(topic -> {
            emptied(server, topic);
            site.send("--url", "kafka://" + server, "--property", "partitions=1", "--message-count", "1", "topic://" + topic);
            List<String> command =
                List.of("rdkafka_performance", "-P", "-t", topic, "-p", "0", "-b", server, "-s", String.valueOf(size), "-c",
                    count, "-a", "-1", "-q");
            return Stream.concat(command.stream(), theirs.stream().flatMap(setting -> Stream.of("-X", setting))).toList();
        }, lines -> new OutputReader.Outcome(OutputReader.number(lines, ".* (\\d+) delivered \\(.*"),
            OutputReader.number(lines, ".* delivered \\(.*: (\\d+) msgs/s and .*"), Map.of()));
        return new ToolComparison(name, "rdkafka_performance of librdkafka, " + batches + ", " + size + " B, " + count
            + " messages, without a ledger", false, other,
            producer(server, ours.isEmpty() ? "" : "?" + String.join("&", ours), count, size));
    }

    private ToolComparison consumeNative(String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        Fill fill = new Fill(server, name, count, size);
        ComparedTool theirs = new ComparedTool(_ -> {
            fill.once();
            return List.of("rdkafka_performance", "-C", "-t", fill.topic, "-p", "0", "-b", server, "-o", "beginning", "-c", count, "-B",
                "1000", "-q");
        }, lines -> new OutputReader.Outcome(OutputReader.number(lines, "% (\\d+) messages \\(.* consumed in .*"),
            OutputReader.number(lines, ".* consumed in .*: (\\d+) msgs/s .*"), Map.of()));
        return new ToolComparison(name, "rdkafka_performance of librdkafka, " + size + " B, " + count
            + " messages, without a group and a ledger", false, theirs, consumer(server, fill, count));
    }

    private ToolComparison produce(String jars, String server, String name, int size, int perSecond) {
        String count = String.valueOf((long) perSecond * site.seconds());
        ComparedTool theirs = new ComparedTool(topic -> {
            emptied(server, topic);
            return List.of(site.java(), "-Xmx512m", "-cp", jars, "org.apache.kafka.tools.ProducerPerformance", "--bootstrap-server", server,
                "--topic", topic, "--num-records", count, "--record-size", String.valueOf(size), "--throughput", "-1");
        }, KafkaArena::produced);
        return new ToolComparison(name, "Kafka ProducerPerformance " + VERSION + ", " + size + " B, " + count + " records", false, theirs,
            producer(server, "", count, size));
    }

    private ComparedTool producer(String server, String settings, String count, int size) {
        return new ComparedTool(topic -> {
            emptied(server, topic);
            return site.brokermeter("producer", "--url", "kafka://" + server + settings, "--property", "partitions=1", "--message-count",
                count, "--message-size", String.valueOf(size), "--max-pending", "0", "topic://" + topic);
        }, OutputReader.producer());
    }

    /** Deletes the topic that the last run has filled, and notes that the next run fills another one. */
    private void emptied(String server, String topic) {
        String last = filled;
        filled = topic;
        if (last == null) {
            return;
        }
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, server))) {
            admin.deleteTopics(List.of(last)).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("The topic " + last + " was not deleted.", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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

        private final String server;
        private final String topic;
        private final String[] arguments;
        private boolean done;

        Fill(String server, String comparison, String count, int size) {
            this.server = server;
            topic = comparison.toUpperCase(Locale.ROOT) + "_FILLED";
            arguments = new String[] {"--url", "kafka://" + server, "--property", "partitions=1", "--message-count", count,
                "--message-size", String.valueOf(size), "--max-pending", "0", "topic://" + topic};
        }

        void once() {
            if (!done) {
                done = true;
                emptied(server, topic);
                site.send(arguments);
            }
        }
    }
}
