package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with the real child processes. */
class RocketMqKindTest {

    private static final BrokerName ROCKETMQ = BrokerName.parse("rocketmq");

    @TempDir
    private Path temporary;

    @Test
    void startsMastersWithSlavesAndLeavesNothing() throws Exception {
        Path directory = temporary.resolve("cluster");
        Broker broker = Broker.start(ROCKETMQ, options(directory).withTopology("2-masters-2-slaves"));
        try (broker) {
            assertThat(broker.name().toString()).isEqualTo("rocketmq:5.5.0");
            assertThat(broker.nodes()).extracting(BrokerNode::role).containsExactly("master broker-a", "master broker-b",
                "slave broker-a", "slave broker-b", "name server");
            assertThat(broker.nodes()).extracting(BrokerNode::role).isEqualTo(new RocketMqKind().roles("2-masters-2-slaves"));
            assertThat(broker.url()).isEqualTo("rocketmq://127.0.0.1:" + broker.nodes().getLast().port());
            for (BrokerNode node : broker.nodes()) {
                new Socket("127.0.0.1", node.port()).close();
            }
            assertThat(directory.resolve("slave-broker-a").resolve("store")).isDirectory();
            PrivateDataTest.assertPrivate(directory);
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
    }

    /** A JVM that is killed leaves an unpacked library of 13 MB behind. */
    @Test
    void unpacksNativeLibrariesInItsOwnDirectory() throws Exception {
        assumeThat(Path.of("/proc/self/maps")).exists();
        Path directory = temporary.resolve("broker");
        try (Broker broker = Broker.start(ROCKETMQ, options(directory))) {
            List<String> mapped = Files.readAllLines(Path.of("/proc", Long.toString(broker.nodes().getFirst().pid()), "maps")).stream()
                .filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/'))).distinct().toList();
            assertThat(mapped).isNotEmpty().allMatch(file -> file.startsWith(directory.toString()));
        }
        assertThat(directory).doesNotExist();
    }

    /** By default RocketMQ's flush of transaction metrics uses a whole core for the first ten seconds. */
    @Test
    void restsOnceItIsReady() throws Exception {
        assumeThat(Path.of("/proc/self/task")).exists();
        try (Broker broker = Broker.start(ROCKETMQ, options(temporary.resolve("broker")))) {
            Path threads = Path.of("/proc", Long.toString(broker.nodes().getFirst().pid()), "task");
            long before = -1;
            long now = flushTicks(threads);
            while (now != before) {
                assertThat(now).as("ticks that the thread took which flushes transaction metrics").isLessThan(300);
                TimeUnit.MILLISECONDS.sleep(500);
                before = now;
                now = flushTicks(threads);
            }
        }
    }

    /** Returns the user time of the thread that flushes transaction metrics, in clock ticks. */
    private static long flushTicks(Path threads) throws IOException {
        try (Stream<Path> all = Files.list(threads)) {
            for (Path thread : all.toList()) {
                String stat;
                try {
                    stat = Files.readString(thread.resolve("stat"));
                } catch (IOException e) {
                    // the thread has ended
                    continue;
                }
                if (stat.contains("(TransactionFlus)")) {
                    return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[11]);
                }
            }
        }
        throw new AssertionError("There is no thread TransactionFlushService any more.");
    }

    @Test
    void leavesNothingWhenItsParentIsKilled() throws Exception {
        Path directory = temporary.resolve("cluster");
        Process parent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dbrokermeter.brokers=" + System.getProperty("brokermeter.brokers"), "-cp",
            System.getProperty("java.class.path"), Owner.class.getName(), directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<ProcessHandle> processes = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
            for (String pid : lines.readLine().split(" ")) {
                processes.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
            }
        } finally {
            parent.destroyForcibly();
        }
        assertThat(processes).hasSize(2);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (processes.stream().anyMatch(ProcessHandle::isAlive) || Files.exists(directory)) {
            assertThat(System.nanoTime()).as("everything is gone within 120 s").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Test
    void keepsADirectoryThatWasThereBefore() throws Exception {
        Broker.start(ROCKETMQ, options(temporary).withJournal("sync-flush")).close();
        assertThat(temporary.resolve("master-broker-a").resolve("store")).isNotEmptyDirectory();
    }

    @Test
    void namesAPropertyThatBrokersDoNotHave() {
        Path directory = temporary.resolve("cluster");
        assertThatThrownBy(() -> Broker.start(ROCKETMQ, options(directory)
            .withProperty("waitTimeMillsInSendQeue", "5000"))).isInstanceOf(BrokerException.class)
            .hasMessageContaining("'waitTimeMillsInSendQeue'; did you mean waitTimeMillsInSendQueue?");
        assertThat(directory).doesNotExist();
        assertThatThrownBy(() -> Broker.start(ROCKETMQ, options(directory)
            .withProperty("waitTimeMillsInSendQueue", "long"))).isInstanceOf(BrokerException.class)
            .hasMessageContaining("waitTimeMillsInSendQueue").hasMessageContaining("a number");
    }

    @Test
    void refusesWhatItCannotDoBeforeItStarts() {
        assertThatThrownBy(() -> Broker.check(ROCKETMQ, BrokerOptions.defaults().withTopology("ring")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'ring'");
        assertThatThrownBy(() -> Broker.check(ROCKETMQ, BrokerOptions.defaults().withJournal("nio")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("async-flush, sync-flush");
    }

    private static BrokerOptions options(Path directory) {
        return BrokerOptions.defaults().withDirectory(directory).withHeap("256m").withStartLimit(Duration.ofMinutes(2));
    }

    /** A process that owns a broker until it is killed, for at most a minute. */
    static final class Owner {

        private Owner() {}

        public static void main(String[] arguments) throws Exception {
            try (Broker broker = Broker.start(ROCKETMQ, options(Path.of(arguments[0])))) {
                System.out.println(String.join(" ",
                    broker.nodes().stream().map(node -> Long.toString(node.pid())).toList()));
                broker.node().awaitExit(Duration.ofMinutes(1));
            }
        }
    }
}
