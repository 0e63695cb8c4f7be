package io.brokermeter.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Against RocketMQ's own benchmark, its Producer and its Consumer together, on a RocketMQ broker. The topic is created by
 * brokermeter before either side starts.
 */
final class RocketMqArena extends ThrowawayArena {

    private static final String VERSION = "5.5.0";
    private static final int SYNC_PER_SECOND = 6_000;
    /**
     * Its rate is one of sends between the oldest and the newest of ten snapshots, which it takes a second apart from the end of its first
     * second on.
     */
    static final int AVERAGED_SECONDS = 9;
    /** How long it takes at most, from the start of its process, to print its first rate. */
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
        // Its limits for waiting sends would fail the asynchronous ones of both sides.
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
                new Tool(topic -> BenchLayout.plus(producer, "-t", topic, "-w", "4", "-q", count), consumer, RocketMqArena::complete),
                new Tool(topic -> BenchLayout.plus(ours, "--property", "send=sync", "--property", "shared-client=true", "--producers", "4",
                    "--threads", "4",
                    "--message-count", count, "topic://" + topic), OutputReader.lastSends(AVERAGED_SECONDS))),
            new ToolComparison("rocketmq-async", title + "asynchronous, for " + seconds + " s", false,
                new Tool(topic -> BenchLayout.plus(BenchLayout.plus(List.of("timeout", "--preserve-status", seconds),
                    producer.toArray(String[]::new)), "-t", topic, "-y", "true", "-ri", "1000"), consumer,
                    lines -> throughout(whole, current(lines))),
                new Tool(topic -> BenchLayout.plus(ours, "--property", "send=async", "--max-pending", "1000", "--duration", seconds,
                    "topic://" + topic), lines -> throughout(whole, OutputReader.lastSends(AVERAGED_SECONDS).read(lines)))));
    }

    /** Its last line after a number of messages: all of them, and the rate of its snapshots. */
    static OutputReader.Outcome complete(List<String> lines) {
        return new OutputReader.Outcome(OutputReader.number(lines, "\\[Complete] Send Total: (\\d+).*"),
            OutputReader.number(lines, "\\[Complete] Send Total: .*Send TPS: (\\d+).*"),
            Map.of("failed sends", OutputReader.number(lines, "\\[Complete] .*Send Failed: (\\d+).*")));
    }

    /** The last of the lines that it prints each second once it has all snapshots; it counts no messages in them. */
    static OutputReader.Outcome current(List<String> lines) {
        return new OutputReader.Outcome(Double.NaN, OutputReader.number(lines, "Current Time: .*Send TPS: (\\d+).*"),
            Map.of("failed sends", OutputReader.number(lines, "Current Time: .*Send Failed: (\\d+).*")));
    }

    /**
     * Its asynchronous mode ends at once when it counts messages, so it is ended from outside without a total. Messages of either side are
     * its rate times the whole time, its start included.
     */
    private static OutputReader.Outcome throughout(int seconds, OutputReader.Outcome outcome) {
        return new OutputReader.Outcome(outcome.perSecond() * seconds, outcome.perSecond(), outcome.further());
    }
}
