package io.brokermeter.trials.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.brokers.observe.Servers;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.network.NetworkProcess;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Directions;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl.Server;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proxies in front of a broker that refers its clients to a second address. */
@Tag("slow")
class GroupNetworksTest {

    private static final NetworkFigures NO_FIGURES = new NetworkFigures("proxy", "", Map.of(), -1, -1, -1, Double.NaN, Double.NaN);
    private static final String TOLD = "told.example:1";

    @TempDir
    Path directory;

    private Workload workload(int port) throws Exception {
        return workload(port, "none", "cut: connection");
    }

    private Workload workload(int port, String network, String fault) throws Exception {
        return ScenarioFile.read(Files.writeString(directory.resolve("cut.yaml"), """
            url: told://127.0.0.1:%d
            protocol: TOLD
            destinations: [queue://q]
            producers: {}
            consumers: {}
            network: %s
            duration: 5s
            faults:
              - {at: 1s, %s, for: 1s}
            """.formatted(port, network, fault)), Changes.NONE).trials().getFirst().workload();
    }

    private static ConnectionSettings settings(int port) {
        return new ConnectionSettings("told://127.0.0.1:" + port, null, null, null, Duration.ofSeconds(1));
    }

    private static ServerSocket listening() throws IOException {
        return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @Test
    void eachSideHasAProxyBeforeTheUrlAndBeforeWhatTheBrokerTells() throws Exception {
        try (ServerSocket first = listening(); ServerSocket second = listening()) {
            Telling driver = new Telling(second.getLocalPort());
            Endpoint plain = new Endpoint("TOLD", settings(first.getLocalPort()));
            Workload workload = workload(first.getLocalPort());
            try (GroupNetworks networks = GroupNetworks.open(workload, new Drivers(List.of(driver)), _ -> plain)) {
                assertThat(driver.asked).isEqualTo(1);
                List<Integer> ports = new ArrayList<>();
                for (Workload.Group group : workload.groups()) {
                    ConnectionSettings behind = networks.through(_ -> plain).apply(group).settings();
                    ports.add(Servers.of(behind.url()).getFirst().port());
                    String instead = behind.properties().get("instead");
                    assertThat(instead).startsWith(TOLD + "=127.0.0.1:");
                    ports.add(Integer.parseInt(instead.replaceAll(".*:", "")));
                }
                assertThat(ports).hasSize(4).doesNotHaveDuplicates().doesNotContain(first.getLocalPort(), second.getLocalPort());
                for (int i = 0; i < ports.size(); i++) {
                    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), ports.get(i));
                            Socket server = (i % 2 == 0 ? first : second).accept()) {
                        client.getOutputStream().write(i);
                        assertThat(server.getInputStream().read()).isEqualTo(i);
                    }
                }
                assertThat(networks.lines("connection")).hasSize(4);
                assertThat(networks.lines("producers")).hasSize(2);
            }
        }
    }

    /** A proxy takes a connection and then resets it, which is all that a client can report of a broker that is not there. */
    @Test
    void aFailureToConnectNamesTheBrokerAndNotTheProxy() throws Exception {
        try (ServerSocket broker = listening()) {
            int port = broker.getLocalPort();
            Endpoint plain = new Endpoint("TOLD", settings(port));
            Workload workload = workload(port);
            try (GroupNetworks networks = GroupNetworks.open(workload, new Drivers(List.of(new Telling(1))), _ -> plain)) {
                String behind = networks.through(_ -> plain).apply(workload.groups().getFirst()).settings().url();
                int proxy = Servers.of(behind).getFirst().port();
                RunFailure reset = new RunFailure(new Finding.Broken(Finding.Step.CONNECT, behind, "Connection reset"));

                assertThat(networks.seenFromOutside(reset).finding()).isEqualTo(new Finding.Broken(Finding.Step.CONNECT,
                    "told://127.0.0.1:" + port + " through the proxy at 127.0.0.1:" + proxy, "Connection reset"));
                broker.close();
                assertThat(networks.seenFromOutside(reset).finding()).isEqualTo(new Finding.Broken(Finding.Step.CONNECT,
                    "told://127.0.0.1:" + port, "Nobody listens on 127.0.0.1 port " + port));

                RunFailure other = new RunFailure(new Finding.Broken(Finding.Step.DECLARE, "queue://q", "refused"));
                assertThat(networks.seenFromOutside(other)).isSameAs(other);
            }
        }
    }

    /** The round trip of a network is at most 60 s, and a delay is added to it once for each direction. */
    @Test
    void aDelayThatIsTooMuchBesideTheNetworkIsRefusedBeforeAnythingStarts() throws Exception {
        Endpoints endpoints = new Endpoints(new Drivers(List.of(new Telling(1))), null, Map.of(), null);
        Workload together = workload(1, "rtt=10ms", "delay: connection, by: 30s");
        assertThatThrownBy(() -> NetworkRequirements.require(together, endpoints, false)).isInstanceOf(UsageException.class)
            .hasMessage("Fault 'delay connection by 30s at 1s for 1s' cannot be made beside network 'rtt=10ms' of the producers. "
                + "A network's rtt of 60010ms is not from 0 to 60s.");
        NetworkRequirements.require(workload(1, "none", "delay: connection, by: 30s"), endpoints, false);
        NetworkRequirements.require(workload(1, "rtt=10ms", "delay: consumers, by: 29s"), endpoints, false);
    }

    @Test
    void thatTheProcessThatHandsOverHasEndedIsSaidOnceUnlessItWasClosed() throws Exception {
        try (NetworkProcess closed = NetworkProcess.start(); NetworkProcess killed = NetworkProcess.start()) {
            BrokerWatch before = new NetworkWatch(new Blind(), closed, (_, _) -> NO_FIGURES, () -> null, "");
            closed.close();
            assertThat(before.notices()).noneMatch(sentence -> sentence.contains("has ended"));
            BrokerWatch watch = new NetworkWatch(new Blind(), killed, (_, _) -> NO_FIGURES, () -> null, "");
            assertThat(watch.notices()).noneMatch(sentence -> sentence.contains("has ended"));
            ProcessHandle process = ProcessHandle.of(killed.pid()).orElseThrow();
            process.destroyForcibly();
            process.onExit().get();
            while (killed.isAlive()) {
                Thread.sleep(1);
            }
            assertThat(watch.notices()).singleElement().asString().contains("pid " + killed.pid() + ", has ended");
            assertThat(watch.notices()).isEmpty();
        }
    }

    @Test
    void aRunWithoutAMeasuredPartHasNoCpuTimeOfItsNetwork() throws Exception {
        try (NetworkProcess process = NetworkProcess.start()) {
            NetworkWatch watch = new NetworkWatch(new Blind(), process,
                (cpu, percent) -> new NetworkFigures("", "", Map.of(), -1, -1, -1, cpu, percent), () -> null, "");
            watch.end();
            assertThat(watch.network().cpuSeconds()).isNaN();
            assertThat(watch.network().cpuPercent()).isNaN();
        }
    }

    @Test
    void connectionsThatLeadAroundAProxyAreTold() throws Exception {
        try (ServerSocket first = listening(); ServerSocket second = listening()) {
            Endpoint plain = new Endpoint("TOLD", settings(first.getLocalPort()));
            Workload workload = workload(first.getLocalPort());
            try (GroupNetworks networks =
                GroupNetworks.open(workload, new Drivers(List.of(new Telling(second.getLocalPort()))), _ -> plain)) {
                Server behind = Servers.of(networks.through(_ -> plain).apply(workload.groups().getFirst()).settings().url()).stream()
                    .map(server -> new Server(server.host(), server.port())).findFirst().orElseThrow();
                try (BrokerWatch watch = networks.watched(new Blind()); Socket _ = new Socket(behind.host(), behind.port())) {
                    watch.begin();
                    watch.end();
                    assertThat(watch.notices()).noneMatch(sentence -> sentence.contains("around"));
                }
                try (BrokerWatch watch = networks.watched(new Blind()); Socket _ = new Socket(behind.host(), behind.port());
                        Socket _ = new Socket(second.getInetAddress(), second.getLocalPort())) {
                    watch.begin();
                    watch.end();
                    assertThat(watch.notices())
                        .anyMatch(sentence -> sentence.startsWith("1 connection of this run leads around the proxy"));
                }
            }
        }
    }

    @Test
    void aBrokerThatDoesNotTellEndsTheRunWithItsReason() throws Exception {
        Endpoint plain = new Endpoint("TOLD", settings(1));
        assertThatThrownBy(() -> GroupNetworks.open(workload(1), new Drivers(List.of(new Telling(0))), _ -> plain))
            .isInstanceOf(RunFailure.class).hasMessageContaining("It says nothing.");
    }

    /** A driver that knows one further address of its broker and connects to nothing. */
    private static final class Telling implements Driver {

        private final int further;
        private int asked;

        /** @param further the port of the address, 0 for a broker that does not answer */
        Telling(int further) {
            this.further = further;
        }

        @Override
        public Optional<Directions> directions() {
            return Optional.of(new Directions() {
                @Override
                public Map<String, Server> ask(ConnectionSettings settings) throws DriverException {
                    asked++;
                    if (further == 0) {
                        throw new DriverException("It says nothing.", null);
                    }
                    return Map.of(TOLD, new Server("127.0.0.1", further));
                }

                @Override
                public ConnectionSettings leading(ConnectionSettings settings, Map<String, Server> instead) {
                    return settings.withProperty("instead", instead.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(",")));
                }
            });
        }

        @Override
        public String protocol() {
            return "TOLD";
        }

        @Override
        public Set<String> schemes() {
            return Set.of("told");
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of();
        }

        @Override
        public String client() {
            return "none";
        }

        @Override
        public void check(ConnectionSettings settings) {
            // all settings are valid
        }

        @Override
        public Connection connect(ConnectionSettings settings, ConnectionListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    /** A watch that observes nothing of a broker. */
    private static final class Blind implements BrokerWatch {

        @Override
        public String describe() {
            return "";
        }

        @Override
        public void begin() {
            // nothing to observe
        }

        @Override
        public @Nullable BrokerSample sample() {
            return null;
        }

        @Override
        public BrokerFigures end() {
            return BrokerFigures.UNKNOWN;
        }

        @Override
        public List<String> notices() {
            return List.of();
        }

        @Override
        public void close() {
            // nothing was opened
        }
    }
}
