package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PrivateDataTest;
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

    /**
     * A JVM that is killed leaves an unpacked library of 13 MB behind. By default RocketMQ's flush of transaction metrics uses a whole core
     * for the first ten seconds.
     */
    @Test
    void unpacksNativeLibrariesInItsOwnDirectoryWhichItKeepsAndRestsOnceItIsReady() throws Exception {
        assumeThat(Path.of("/proc/self/maps")).exists();
        try (Broker broker = Broker.start(ROCKETMQ, options(temporary).withJournal("sync-flush"))) {
            List<String> mapped = Files.readAllLines(Path.of("/proc", Long.toString(broker.nodes().getFirst().pid()), "maps")).stream()
                .filter(line -> line.contains("librocksdbjni")).map(line -> line.substring(line.indexOf('/'))).distinct().toList();
            assertThat(mapped).isNotEmpty().allMatch(file -> file.startsWith(temporary.toString()));
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
        assertThat(temporary.resolve("master-broker-a").resolve("store")).as("in a directory that was there before").isNotEmptyDirectory();
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
}
