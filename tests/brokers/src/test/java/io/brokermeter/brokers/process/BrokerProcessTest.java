package io.brokermeter.brokers.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.BrokerOwner;
import io.brokermeter.brokers.PrivateDataTest;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with the real broker as a child process. */
public class BrokerProcessTest {

    private static final BrokerName ARTEMIS = BrokerName.parse("artemis");

    @TempDir
    private Path temporary;

    /** Several checks share one broker, since each start takes a second or more of CPU time. */
    @Test
    void servesUnderItsNameAndSurvivesWhatItsOwnerSurvivesAndEndsOnSigterm() throws Exception {
        Path directory = temporary.resolve("broker");
        try (Broker broker = Broker.start(ARTEMIS, BrokerOptions.defaults().withDirectory(directory))) {
            assertThat(broker.url()).isEqualTo("tcp://127.0.0.1:" + broker.port());
            assertThat(broker.isAlive()).isTrue();
            new Socket("127.0.0.1", broker.port()).close();
            assertThat(broker.name().version()).isPresent();
            assertThat(broker.name().toString()).matches("artemis:\\d+\\.\\d+\\.\\d+");

            // Ctrl-C in the terminal sends this signal to the broker as well
            ((ChildProcess) broker.node()).signal("INT");
            assertThat(broker.node().awaitExit(Duration.ofMillis(300))).isFalse();
            new Socket("127.0.0.1", broker.port()).close();

            broker.node().freeze();
            await(() -> state(broker.pid()) == 'T');
            broker.node().resume();
            await(() -> state(broker.pid()) != 'T');
            new Socket("127.0.0.1", broker.port()).close();

            ((ChildProcess) broker.node()).signal("TERM");
            assertThat(broker.node().awaitExit(Duration.ofSeconds(120))).isTrue();
            assertThat(directory).doesNotExist();
        }
    }

    @Test
    void showsNoPasswordAndLeavesNoProcessAndNoDirectory() throws Exception {
        Path directory = temporary.resolve("broker");
        Broker broker = Broker.start(ARTEMIS, BrokerOptions.defaults().withDirectory(directory)
            .withLogin("meter", Secret.of("unseen-password"))
            .withProperty("acceptorConfigurations.all.params.trustStorePassword", "unseen-store"));
        assertThat(directory.resolve("journal")).isNotEmptyDirectory();
        PrivateDataTest.assertPrivate(directory);
        assertThat(Files.readString(Path.of("/proc", Long.toString(broker.pid()), "cmdline"))).as("what the list of processes shows")
            .contains("meter").doesNotContain("unseen-password").doesNotContain("unseen-store");

        broker.close();
        broker.close();

        assertThat(broker.isAlive()).isFalse();
        assertThat(ProcessHandle.of(broker.pid())).isEmpty();
        assertThat(directory).doesNotExist();
    }

    @Test
    void keepsADirectoryThatWasThereBefore() throws Exception {
        Broker broker = Broker.start(ARTEMIS, BrokerOptions.defaults().withDirectory(temporary).withJournal("mapped"));
        broker.close();
        assertThat(broker.isAlive()).isFalse();
        assertThat(temporary.resolve("journal")).isNotEmptyDirectory();
    }

    @Test
    void isStartedAgainOnItsPortAndInItsDirectoryOrKeepsWhatItHadOnItsDisk() throws Exception {
        Path directory = temporary.resolve("broker");
        try (Broker broker = Broker.start(ARTEMIS, BrokerOptions.defaults().withDirectory(directory))) {
            int port = broker.port();
            long first = broker.pid();
            broker.node().kill();
            assertThat(broker.isAlive()).isFalse();
            assertThat(directory.resolve("journal")).isNotEmptyDirectory();
            assertKept(port);

            broker.startAgain(broker.nodes());
            assertThat(broker.port()).isEqualTo(port);
            assertThat(broker.pid()).isNotEqualTo(first);
            new Socket("127.0.0.1", port).close();

            broker.node().freeze();
            await(() -> state(broker.pid()) == 'T');
            assertThat(broker.node().stop(Duration.ofSeconds(120))).isTrue();
            assertThat(broker.isAlive()).isFalse();
            assertThat(directory.resolve("journal")).as("an orderly end deletes nothing").isNotEmptyDirectory();
            assertKept(port);
            broker.startAgain(broker.nodes());
            new Socket("127.0.0.1", port).close();

            broker.node().kill();
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThatThrownBy(() -> broker.startAgain(broker.nodes())).isInstanceOf(BrokerException.class)
                    .hasMessageContaining("What it had on its disk is kept in " + directory);
            }
        }
        assertThat(directory).doesNotExist();
        try (Stream<Path> all = Files.list(temporary)) {
            assertThat(all).singleElement().satisfies(kept -> {
                assertThat(kept.getFileName().toString()).startsWith("broker-not-started-again-");
                assertThat(kept.resolve("journal")).isNotEmptyDirectory();
            });
        }
    }

    /** Asserts that no other process can get the port of a broker that is to restart, neither for a connection nor for a server. */
    private static void assertKept(int port) throws IOException {
        if (System.getProperty("os.name").equals("Linux")) {
            try (Socket other = new Socket()) {
                other.setReuseAddress(false);
                assertThatThrownBy(() -> other.bind(new InetSocketAddress("127.0.0.1", port))).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aFrozenBrokerOutlivesNoOwner() throws Exception {
        Path directory = temporary.resolve("broker");
        Process owner = owner(directory.toString(), "freeze");
        long broker;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8))) {
            broker = Long.parseLong(lines.readLine());
            await(() -> state(broker) == 'T');
            assertThat(directory).exists();
        } finally {
            owner.destroyForcibly();
        }
        await(() -> ProcessHandle.of(broker).isEmpty() && Files.notExists(directory));
    }

    /** The broker, which was killed, deletes nothing, and its owner is gone before it has deleted all. */
    @Test
    void anOwnerThatEndsWhileItClosesLeavesNothing() throws Exception {
        Path directory = temporary.resolve("broker");
        Process owner = owner(directory.toString(), "close");
        try {
            await(() -> !owner.isAlive());
            await(() -> Files.notExists(directory));
        } finally {
            owner.destroyForcibly();
        }
    }

    private static Process owner(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dbrokermeter.brokers=" + System.getProperty("brokermeter.brokers"), "-cp", System.getProperty("java.class.path"),
            BrokerOwner.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void processesOfATopologyHaveNames() {
        BrokerName rocketmq = BrokerName.parse("rocketmq");
        assertThat(Broker.nodesNamed(ARTEMIS, "single", "broker")).containsExactly(0);
        assertThat(Broker.nodesNamed(ARTEMIS, "single", "node 1")).containsExactly(0);
        assertThat(Broker.nodesNamed(ARTEMIS, "primary-backup", "broker")).containsExactly(0, 1);
        assertThat(Broker.nodesNamed(ARTEMIS, "primary-backup", "backup")).containsExactly(1);
        assertThat(Broker.nodesNamed(rocketmq, "master-slave", "slave")).containsExactly(1);
        assertThat(Broker.nodesNamed(rocketmq, "master-slave", "name server")).containsExactly(2);
        assertThatThrownBy(() -> Broker.nodesNamed(ARTEMIS, "primary-backup", "node 3"))
            .hasMessage("Broker artemis as primary-backup has no 'node 3': it has primary, backup, or node 1 to node 2.");
        assertThatThrownBy(() -> Broker.nodesNamed(ARTEMIS, "single", "slave"))
            .hasMessage("Broker artemis has no 'slave': it has broker alone.");
        assertThatThrownBy(() -> Broker.nodesNamed(rocketmq, "2-masters", "master")).hasMessageContaining("has several 'master'");
    }

    @ParameterizedTest
    @CsvSource({"artemis,single,broker", "rocketmq,single,broker", "artemis,primary-backup,primary", "activemq,master-slave,master",
        "rocketmq,master-slave,master", "activemq,network,node 1", "kafka,3-nodes,node 1", "rabbitmq,3-nodes,node 1",
        "rocketmq,2-masters,node 1", "rocketmq,2-masters-2-slaves,node 1"})
    void theFirstProcessOfATopologyBearsTheLoad(String name, String topology, String leader) {
        assertThat(Broker.leader(BrokerName.parse(name), topology)).isEqualTo(leader);
        assertThat(Broker.nodesNamed(BrokerName.parse(name), topology, leader)).startsWith(0);
    }

    @Test
    void refusesAPortThatIsTakenBeforeAnythingIsMade() throws Exception {
        Path directory = temporary.resolve("broker");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            BrokerOptions options = BrokerOptions.defaults().withDirectory(directory).withPort(taken.getLocalPort());
            assertThatThrownBy(() -> Broker.start(ARTEMIS, options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Port " + taken.getLocalPort());
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void reportsADirectoryThatCannotBeWritten() throws Exception {
        Path file = Files.writeString(temporary.resolve("file"), "");
        BrokerOptions options = BrokerOptions.defaults().withDirectory(file.resolve("below"));
        assertThatThrownBy(() -> Broker.start(ARTEMIS, options)).isInstanceOf(BrokerException.class)
            .hasMessageContaining(file.resolve("below").toString());
    }

    @Test
    void reportsAHeapThatTheJvmRefuses() {
        assertThatThrownBy(() -> Broker.start(ARTEMIS, BrokerOptions.defaults().withHeap("lots")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("-Xmxlots");
    }

    @Test
    void reportsAKeyStoreThatDoesNotExist() {
        Path missing = temporary.resolve("missing.p12");
        BrokerOptions options = BrokerOptions.defaults().withTls(missing, Secret.of("unseen-password"));
        assertThatThrownBy(() -> Broker.start(ARTEMIS, options)).isInstanceOf(BrokerException.class)
            .hasMessageContaining("missing.p12").hasMessageNotContaining("unseen-password");
    }

    @Test
    void givesUpAfterTheStartLimit() {
        Path directory = temporary.resolve("broker");
        BrokerOptions options = BrokerOptions.defaults().withDirectory(directory)
            .withStartLimit(Duration.ofMillis(1));
        assertThatThrownBy(() -> Broker.start(ARTEMIS, options)).isInstanceOf(BrokerException.class)
            .hasMessageContaining("not ready");
        assertThat(directory).doesNotExist();
    }

    @Test
    void refusesAnotherVersionAndAnotherBroker() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("artemis:one")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("artemis:one");
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("nosuch")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("nosuch");
        assertThatThrownBy(() -> BrokerName.parse("artemis:"))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("artemis:");
    }

    @Test
    void startsInSpiteOfACacheThatDoesNotMatchAndClosesWhenItIsFrozenAndWroteNoJournal() throws Exception {
        Files.writeString(temporary.resolve("artemis.aot"), "no cache at all");
        System.setProperty("brokermeter.aot", temporary.toString());
        Path directory = temporary.resolve("broker");
        try {
            Broker broker = Broker.start(ARTEMIS, BrokerOptions.defaults().withDirectory(directory).withPersistent(false));
            assertThat(broker.isAlive()).isTrue();
            assertThat(directory.resolve("journal")).doesNotExist();
            broker.node().freeze();
            broker.close();
            assertThat(broker.isAlive()).isFalse();
            assertThat(directory).doesNotExist();
        } finally {
            System.clearProperty("brokermeter.aot");
        }
    }

    public static char state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return '?';
        }
    }

    public static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the condition holds within 120 s").isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
