package io.brokermeter.bench;

import java.util.List;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/**
 * Comparison with redis-benchmark of the same Redis, on a server without a file. It sends one body again and again, 100 commands in one
 * write, and waits for all their answers before the next write.
 */
final class RedisArena extends ThrowawayArena {

    /** The messages per second that make a run about as long as requested; each side handles the same number. */
    private static final int PER_SECOND = 150_000;
    private static final int SIZE = 1024;
    private static final String PENDING = "100";
    /** About the length of each run's stream, so that the memory of the server does not fill. */
    private static final String KEPT = "10000";

    RedisArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of("redis-add-1k");
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        Broker started = start("redis", BrokerOptions.defaults().withPersistent(false));
        String port = String.valueOf(started.port());
        long messages = (long) PER_SECOND * site.seconds();
        String count = String.valueOf(messages);
        ComparedTool theirs = new ComparedTool(stream -> List.of("redis-benchmark", "-p", port, "-c", "1", "-P", PENDING, "-n", count,
            "-q", "XADD", stream, "MAXLEN", "~", KEPT, "*", "b", "x".repeat(SIZE)),
            lines -> new OutputReader.Outcome(messages, OutputReader.number(lines, ".*: ([0-9.]+) requests per second.*"), Map.of()));
        ComparedTool ours = new ComparedTool(
            stream -> site.brokermeter("producer", "--url", "redis://127.0.0.1:" + port + "?max-length=" + KEPT,
                "--message-count", count, "--message-size", String.valueOf(SIZE), "--max-pending", PENDING, "topic://" + stream),
            OutputReader.producer());
        return List.of(new ToolComparison("redis-add-1k", "redis-benchmark, XADD of " + SIZE + " B, " + PENDING + " in flight, " + count
            + " messages", false, theirs, ours));
    }
}
