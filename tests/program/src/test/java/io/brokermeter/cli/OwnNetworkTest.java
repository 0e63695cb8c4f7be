package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.reports.document.JsonText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links for users other than root: the program moves to a network namespace of its own if it also starts the broker. */
class OwnNetworkTest {

    /**
     * Takes all rights from root except the access to its files and the mapping of its own user id into a user namespace. The program
     * setpriv is part of util-linux, like unshare.
     */
    private static final List<String> WITHOUT_RIGHTS =
        List.of("setpriv", "--bounding-set=-all,+setfcap", "--inh-caps=-all", "--ambient-caps=-all");

    @TempDir
    private Path directory;

    private Tool tool() {
        return System.getProperty("user.name").equals("root") ? new Tool(directory).below(WITHOUT_RIGHTS) : new Tool(directory);
    }

    @Test
    void aLinkIsMadeBeforeABrokerThatIsStartedForTheRun() throws Exception {
        Path out = directory.resolve("runs");
        var finished =
            tool().run("client", "--broker", "nats", "--network", "rtt=20ms loss=0.01%", "--message-count", "20", "--max-pending",
                "1", "--out", out.toString(), "queue://near").exits(0);
        assertThat(finished.err()).contains("A link of two devices adds the network");
        assertThat(finished.out()).contains("total received:           20");
        assertThat(Files.readString(out.resolve("result.json"))).containsPattern("\"way\": ?\"link\"");
    }

    @Test
    void aSweepMovesAsAWhole() throws Exception {
        Path file = Files.writeString(directory.resolve("far.yaml"), """
            name: far
            broker: nats
            destinations: queue://far
            sweep: {network: [none, rtt=20ms]}
            producers: {load: {messages: 5}}
            consumers: {}
            """);
        Path out = directory.resolve("runs");
        tool().run("run", file.toString(), "--out", out.toString()).exitsWellAtAnyRate();
        try (var all = Files.walk(out)) {
            assertThat(all.filter(path -> path.endsWith("result.json")).toList()).hasSize(2)
                .anySatisfy(result -> assertThat(Files.readString(result)).containsPattern("\"way\": ?\"link\""));
        }
    }

    /** The worker of the agent enters the network namespace that the coordinator created. */
    @Test
    void anAgentThatTheRunStartsConnectsThroughTheLink() throws Exception {
        Path out = directory.resolve("runs");
        var finished = tool().run("client", "--agents", "1", "--broker", "nats", "--network", "rtt=40ms loss=0.1%", "--producers", "2",
            "--consumers", "2", "--message-count", "40", "--max-pending", "1", "--out", out.toString(), "queue://far")
            .exits(0);
        assertThat(finished.err()).contains("A link of two devices adds the network");
        assertThat(finished.total("total received")).isEqualTo(40);
        String result = Files.readString(out.resolve("result.json"));
        assertThat(result).containsPattern("\"way\": ?\"link\"");
        assertThat(JsonText.number(JsonText.read(result), List.of("times", "send", "p50Micros"))).isGreaterThanOrEqualTo(40_000);
        assertThat(JsonText.number(JsonText.read(result), List.of("network", "packetsPassed"))).isPositive();
    }

    /** The program stays in the network of the machine, since a namespace of its own cannot reach anything outside. */
    @Test
    void aBrokerThatRunsIsReachedThroughAProxy() throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse("nats"))) {
            var finished = tool().run("client", "--url", broker.url(), "--network", "rtt=20ms", "--message-count", "5", "--out", "none",
                "queue://outside").exits(0);
            assertThat(finished.err()).contains("A TCP proxy adds the network")
                .contains("it takes the rights of root to make network devices");
        }
    }

    @Test
    void whatAProxyCannotDoIsStillRefused() throws Exception {
        assertThat(tool().run("client", "--url", "mqtt://127.0.0.1:1", "--network", "rtt=20ms loss=1%", "--message-count", "5", "queue://q")
            .exits(2).err()).contains("it needs a link, which cannot be made: it takes the rights of root");
    }
}
