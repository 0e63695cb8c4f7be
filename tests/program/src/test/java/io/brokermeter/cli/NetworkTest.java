package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.reports.document.JsonText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Simulated networks before real brokers. */
class NetworkTest {

    @RegisterExtension
    private static final SharedBroker SHARED = new SharedBroker(o -> o);

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @RegisterExtension
    static final OneProcess PROXIED = new OneProcess().with("JDK_JAVA_OPTIONS", "-Dbrokermeter.network.proxy=true");

    @TempDir
    Path directory;

    private double micros(Path result, String... path) throws Exception {
        return JsonText.number(JsonText.read(Files.readString(result)), List.of(path));
    }

    @Test
    void eachSideHasTheDistanceThatItWasGiven() throws Exception {
        Path out = directory.resolve("run");
        String url = SHARED.get().broker.urls().get("AMQP");
        Finished finished = new Tool(directory).run("client", "--url", url, "--producer-network", "rtt=60ms",
            "--consumer-network", "rtt=20ms", "--message-count", "20", "--persistent", "--out", out.toString(), "queue://far").exits(0);
        Path result = out.resolve("result.json");
        assertThat(micros(result, "times", "send", "meanMicros")).isBetween(60_000.0, 30_000_000.0);
        assertThat(micros(result, "times", "transfer", "meanMicros")).isBetween(40_000.0, 30_000_000.0);
        assertThat(Files.readString(result)).containsPattern("\"way\": ?\"(proxy|link)\"")
            .containsPattern("\"producers producers\": ?\"rtt=60ms\"")
            .containsPattern("\"consumers consumers\": ?\"rtt=20ms\"");
        assertThat(finished.out()).contains("Connection brokerURL = " + url).contains("--- network cpu:");
    }

    /** Kafka advertises addresses to its clients: a broker that is started for the run has a listener for each of two proxies. */
    @Test
    void throughProxiesKafkaHasADistanceForEachSide() throws Exception {
        Path out = directory.resolve("run");
        Finished finished = PROXIED.run("client", "--broker", "kafka", "--producer-network", "rtt=60ms", "--consumer-network",
            "rtt=200ms", "--message-count", "20", "--out", out.toString(), "queue://far").exits(0);
        Path result = out.resolve("result.json");
        assertThat(Files.readString(result)).containsPattern("\"way\": ?\"proxy\"");
        assertThat(micros(result, "times", "send", "meanMicros")).isGreaterThanOrEqualTo(60_000);
        assertThat(micros(result, "times", "transfer", "meanMicros")).isGreaterThanOrEqualTo(130_000);
        assertThat(finished.out()).contains("Connection brokerURL = kafka://127.0.0.1:");
    }

    @Test
    void clientsThatWouldGoAroundAProxyAreRefused() throws Exception {
        assertThat(
            PROXIED.run("client", "--url", "kafka://127.0.0.1:1", "--network", "10ms", "--message-count", "1", "queue://q").exits(2).err())
            .contains("they lead around a proxy, unless it is started for the run");
        assertThat(PROXIED.run("client", "--broker", "rocketmq", "--property", "vipChannelEnabled=true", "--network", "10ms",
            "--message-count", "1", "queue://q").exits(2).err()).contains("vipChannelEnabled", "around a proxy");
    }

    /** The name server is queried for the addresses of its brokers before any client connects. */
    @Test
    void aNameServerThatIsNotThereIsTold() throws Exception {
        Finished finished = PROXIED.run("client", "--url",
            "rocketmq://127.0.0.1:1", "--network", "10ms", "--message-count", "1", "--out", "none", "queue://q").exits(1);
        assertThat(finished.err()).contains("nobody listens on 127.0.0.1 port 1; is that the address of RocketMQ's name server?");
    }

    @Test
    void aSweepVariesTheNetwork() throws Exception {
        Path file = Files.writeString(directory.resolve("far.yaml"), """
            name: far
            url: %s
            connectTimeout: 60s
            destinations: queue://far
            sweep: {network: [none, rtt=40ms]}
            producers: {load: {messages: 10}, message: {persistent: true}}
            consumers: {}
            """.formatted(SHARED.get().broker.urls().get("AMQP")));
        Path out = directory.resolve("runs");
        PROGRAM.run("run", file.toString(), "--out", out.toString()).exitsWellAtAnyRate();
        List<Path> results;
        try (var all = Files.walk(out)) {
            results = all.filter(path -> path.endsWith("result.json")).sorted().toList();
        }
        assertThat(results).hasSize(2);
        for (Path result : results) {
            boolean far = Files.readString(result).contains("rtt=40ms");
            assertThat(result.toString().contains("40ms")).isEqualTo(far);
            if (far) {
                assertThat(micros(result, "times", "send", "meanMicros")).isGreaterThanOrEqualTo(40_000);
            }
        }
    }

    /** Of a broker that runs already, where the devices are those of the machine; {@link KilledInFaultTest} kills runs with a proxy. */
    @Test
    void aKillInTheMiddleLeavesNothing() throws Exception {
        List<ProcessHandle> children;
        try (Tool.Running running = new Tool(directory).start("client", "--url", SHARED.url(), "--network", "rtt=5ms", "--duration", "80",
            "--rate", "50", "--out", "none", "queue://killed")) {
            running.awaitErr("adds the network");
            ProcessHandle tool = ProcessHandle.of(running.pid()).orElseThrow();
            children = tool.descendants().toList();
            tool.destroyForcibly();
        }
        assertThat(children).isNotEmpty();
        for (ProcessHandle child : children) {
            child.onExit().get(Tool.LIMIT_SECONDS, TimeUnit.SECONDS);
            Waiting.until("the device of " + child + " is gone", () -> NetworkInterface.getByName("bm" + child.pid()) == null);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rtt=10ms|--protocol LOOPBACK --url loopback://x|in memory", "rtt=fast||is not a time", "jitter=2ms||more than its rtt"})
    void whatCannotBeIsRefusedBeforeAnythingStarts(String rule, String more, String sentence) throws Exception {
        List<String> words = new ArrayList<>(List.of("client", "--network", rule, "--message-count", "1"));
        if (more != null) {
            words.addAll(List.of(more.split(" ")));
        }
        PROGRAM.run(words.toArray(String[]::new)).exits(2).saysOnly(sentence);
    }
}
