package io.brokermeter.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Comparisons with {@code nats bench} on the same NATS server. It sends one body again and again and keeps no ledger; with JetStream it waits
 * for all answers of a batch before the next one.
 */
final class NatsArena extends ThrowawayArena {

    /** The messages per second that make a run about as long as requested; each side handles the same number. */
    private static final int CORE_PER_SECOND = 400_000;
    /** The messages stay in the file of a stream, so these are fewer than a run could send. */
    private static final int JETSTREAM_PER_SECOND = 25_000;
    private static final String SIZE = "1024";
    private static final String PENDING = "500";

    NatsArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of("nats-publish-1k-native", "nats-jetstream-1k-native");
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        Broker started = start("nats", BrokerOptions.defaults());
        String url = "nats://127.0.0.1:" + started.port();
        String core = String.valueOf((long) CORE_PER_SECOND * site.seconds());
        String stored = String.valueOf((long) JETSTREAM_PER_SECOND * site.seconds());
        return List.of(
            new ToolComparison("nats-publish-1k-native", "nats bench pub, " + SIZE + " B, " + core + " messages, without a ledger", false,
                bench(core, subject -> List.of("nats", "bench", "pub", subject, "--msgs", core, "--size", SIZE, "--no-progress",
                    "--no-context", "-s", url)),
                ours(url + "?mode=core", core, "0", "topic://")),
            new ToolComparison("nats-jetstream-1k-native", "nats bench js pub async, " + SIZE + " B in a file, " + PENDING + " in flight, "
                + stored + " messages, without a ledger", false,
                bench(stored, subject -> List.of("nats", "bench", "js", "pub", "async", subject, "--stream", subject, "--create",
                    "--maxbytes", "16GB", "--batch", PENDING, "--msgs", stored, "--size", SIZE, "--no-progress", "--no-context", "-s",
                    url)),
                ours(url, stored, PENDING, "queue://")));
    }

    private static ComparedTool bench(String count, Function<String, List<String>> command) {
        return new ComparedTool(command, lines -> new OutputReader.Outcome(Double.parseDouble(count),
            OutputReader.number(lines, ".* publisher stats: ([0-9,]+) msgs/sec .*"), Map.of()));
    }

    private ComparedTool ours(String url, String count, String pending, String kind) {
        return new ComparedTool(name -> site.brokermeter("producer", "--url", url, "--message-count", count, "--message-size", SIZE,
            "--max-pending", pending, kind + name), OutputReader.producer());
    }
}
