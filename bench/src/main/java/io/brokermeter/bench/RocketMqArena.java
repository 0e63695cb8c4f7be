package io.brokermeter.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Comparisons with RocketMQ's own benchmark, its Producer together with its Consumer, on a RocketMQ broker. Brokermeter creates the topic
 * before either side starts.
 */
final class RocketMqArena extends ThrowawayArena {

    private static final String VERSION = "5.5.0";
    private static final int SYNC_PER_SECOND = 6_000;
    /**
     * The number of seconds over which the benchmark averages. Its rate is that of sends between the oldest and the newest of ten
     * snapshots, taken one second apart from the end of its first second on.
     */
    static final int AVERAGED_SECONDS = 9;
    /** The longest time that the benchmark takes to print its first rate, in seconds from the start of its process. */
    private static final int FIRST_RATE_SECONDS = 12;

    RocketMqArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of("rocketmq-sync", "rocketmq-async");
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        String jars = site.jars("rocketmq-example-" + VERSION, "<groupId>org.apache.rocketmq</groupId>"
            + "<artifactId>rocketmq-example</artifactId><version>" + VERSION + "</version>");
        // The default limits of the broker for waiting sends would fail the asynchronous ones of both sides.
        Broker started = start("rocketmq", BrokerOptions.defaults()
            .withProperty("waitTimeMillsInSendQueue", "5000").withProperty("sendThreadPoolQueueCapacity", "100000"));
        String url = started.url();
        String nameServer = url.substring(url.indexOf("://") + 3);
        String home = "-Duser.home=" + site.work();
        List<String> java = List.of(site.java(), "-Xmx512m", home, "-cp", jars);
        List<String> producer = BenchLayout.plus(java, "org.apache.rocketmq.example.benchmark.Producer", "-n", nameServer, "-s", "128");
        List<String> ours = site.brokermeter("client", "--url", url, "--property", "queues=8", "--property",
            "queue-selection=round-robin", "--message-size", "128");
        Function<String, List<List<String>>> consumer = topic -> {
            site.send("--url", url, "--property", "queues=8", "--message-count", "1", "topic://" + topic);
            return List.of(BenchLayout.plus(java, "org.apache.rocketmq.example.benchmark.Consumer", "-n", nameServer, "-t", topic));
        };
        String count = String.valueOf((long) SYNC_PER_SECOND * site.seconds());
        int whole = site.seconds() + FIRST_RATE_SECONDS;
        String seconds = String.valueOf(whole);
        String title = "RocketMQ benchmark " + VERSION + ", Producer and Consumer, 128 B, 8 queues, ";
        return List.of(
            new ToolComparison("rocketmq-sync", title + "4 synchronous threads, " + count + " messages", false,
                new ComparedTool(topic -> BenchLayout.plus(producer, "-t", topic, "-w", "4", "-q", count), consumer,
                    RocketMqArena::complete),
                new ComparedTool(topic -> BenchLayout.plus(ours, "--property", "send=sync", "--property", "shared-client=true",
                    "--producers", "4", "--threads", "4",
                    "--message-count", count, "topic://" + topic), OutputReader.lastSends(AVERAGED_SECONDS))),
            new ToolComparison("rocketmq-async", title + "asynchronous, for " + seconds + " s", false,
                new ComparedTool(topic -> BenchLayout.plus(BenchLayout.plus(List.of("timeout", "--preserve-status", seconds),
                    producer.toArray(String[]::new)), "-t", topic, "-y", "true", "-ri", "1000"), consumer,
                    lines -> throughout(whole, current(lines))),
                new ComparedTool(topic -> BenchLayout.plus(ours, "--property", "send=async", "--max-pending", "1000", "--duration", seconds,
                    "topic://" + topic), lines -> throughout(whole, OutputReader.lastSends(AVERAGED_SECONDS).read(lines)))));
    }

    /**
     * Extracts the last line of the benchmark after a number of messages, with the number of all messages and the rate of its snapshots.
     */
    static OutputReader.Outcome complete(List<String> lines) {
        return new OutputReader.Outcome(OutputReader.number(lines, "\\[Complete] Send Total: (\\d+).*"),
            OutputReader.number(lines, "\\[Complete] Send Total: .*Send TPS: (\\d+).*"),
            Map.of("failed sends", OutputReader.number(lines, "\\[Complete] .*Send Failed: (\\d+).*")));
    }

    /**
     * Extracts the last of the lines that the benchmark prints each second once it has all snapshots; they contain no number of messages.
     */
    static OutputReader.Outcome current(List<String> lines) {
        return new OutputReader.Outcome(Double.NaN, OutputReader.number(lines, "Current Time: .*Send TPS: (\\d+).*"),
            Map.of("failed sends", OutputReader.number(lines, "Current Time: .*Send Failed: (\\d+).*")));
    }

    /**
     * Estimates the number of messages of a run. The asynchronous mode of the benchmark ends at once when it counts messages, so it is
     * terminated from outside without a total. The number of messages of either side is its rate times the whole time, start-up included.
     */
    private static OutputReader.Outcome throughout(int seconds, OutputReader.Outcome outcome) {
        return new OutputReader.Outcome(outcome.perSecond() * seconds, outcome.perSecond(), outcome.further());
    }
}
