package io.brokermeter.bench;

import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;

/** Comparisons with RabbitMQ PerfTest, on a RabbitMQ broker. */
final class RabbitMqArena extends ThrowawayArena {

    private static final String VERSION = "2.22.1";
    /** The number of seconds that the rates of both sides exclude. */
    private static final int WARMUP = 2;

    RabbitMqArena(BenchLayout layout) {
        super(layout);
    }

    @Override
    public List<String> names() {
        return List.of("perf-test");
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        String jars = site.jars("perf-test-" + VERSION, "<groupId>com.rabbitmq</groupId><artifactId>perf-test</artifactId><version>"
            + VERSION + "</version>");
        Broker started = start("rabbitmq", BrokerOptions.defaults());
        String seconds = String.valueOf(site.seconds());
        String port = String.valueOf(started.port());
        ComparedTool theirs = new ComparedTool(name -> List.of(site.java(), "-cp", jars, "com.rabbitmq.perf.PerfTest", "--uri",
            "amqp://127.0.0.1:" + port, "--producers", "1", "--consumers", "1", "--size", "1024", "--confirm", "100", "--time",
            seconds, "--queue", name), OutputReader.perfTest(WARMUP, site.seconds()));
        ComparedTool ours = new ComparedTool(name -> site.brokermeter("client", "--protocol", "AMQP091", "--url",
            String.valueOf(started.urls().get("AMQP091")), "--max-pending", "100", "--warmup", String.valueOf(WARMUP), "--duration",
            seconds, "queue://" + name), OutputReader.steady());
        return List.of(new ToolComparison("perf-test", "AMQP 0-9-1, RabbitMQ PerfTest " + VERSION + ": 1 x 1, 1 KiB, confirms 100", true,
            theirs, ours));
    }
}
