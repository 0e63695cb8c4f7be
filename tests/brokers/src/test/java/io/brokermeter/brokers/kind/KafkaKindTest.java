package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PrivateDataTest;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real child processes; the behaviour towards clients is tested with the driver. */
class KafkaKindTest {

    private static final BrokerName KAFKA = BrokerName.parse("kafka");
    private static final BrokerOptions SMALL = BrokerOptions.defaults().withHeap("256m");

    @TempDir
    private Path temporary;

    /** The driver's test of three nodes, one of which is killed, shows that they have their ports and names. */
    @Test
    void startsOneNodeThatEndsByItselfAndKeepsADirectoryThatWasThereBefore() throws Exception {
        Broker broker = Broker.start(KAFKA, SMALL.withDirectory(temporary));
        try (broker; Socket socket = new Socket("127.0.0.1", broker.port())) {
            assertThat(socket.isConnected()).isTrue();
            assertThat(broker.urls()).containsOnlyKeys("KAFKA");
            assertThat(broker.url()).isEqualTo("kafka://127.0.0.1:" + broker.port());
            assertThat(broker.name().toString()).matches("kafka:\\d+\\.\\d+\\.\\d+");
            PrivateDataTest.assertPrivate(temporary.resolve("log"));
            assertThat(broker.node().stop(Duration.ofMinutes(2))).as("it ended by itself").isTrue();
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(temporary.resolve("log/meta.properties")).exists();
        assertThat(new KafkaKind().roles("3-nodes")).containsExactly("node 1", "node 2", "node 3");
        assertThat(Broker.isFetched(KAFKA)).isTrue();
        assertThat(Broker.isFetched(BrokerName.parse("kafka:0.0.1"))).isFalse();
    }

    /** The requested port is that of node 1's clients, and no controller has a port next to that of its node's clients. */
    @Test
    void givesEachNodePortsThatDoNotMeet() {
        assertThat(KafkaKind.ordered(List.of(9092, 20_000, 12_000, 25_000, 11_000, 19_000)))
            .containsExactly(9092, 25_000, 20_000, 19_000, 12_000, 11_000);
        assertThat(KafkaKind.ordered(List.of(9092, 9094, 20_000, 9093, 25_000, 9095)))
            .containsExactly(9092, 25_000, 20_000, 9095, 9094, 9093);
    }

    @Test
    void showsTheCauseOfAPropertyThatKafkaRefuses() {
        assertThatThrownBy(() -> Broker.start(KAFKA, SMALL.withProperty("num.partitions", "none")).close())
            .isInstanceOf(BrokerException.class).hasMessageContaining("num.partitions");
        assertThatThrownBy(() -> Broker.start(KAFKA, SMALL.withProperty("num.partition", "4")).close())
            .isInstanceOf(BrokerException.class).hasMessageContaining("Kafka has no setting 'num.partition'; did you mean num.partitions?")
            .satisfies(e -> assertThat(((BrokerException) e).isRefusal()).isTrue());
    }

    @Test
    void saysThatAVersionDoesNotExist() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("kafka:0.0.1"), SMALL).close())
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("0.0.1");
    }

    @Test
    void refusesWhatKafkaHasNot() {
        assertThatThrownBy(() -> Broker.check(KAFKA, SMALL.withPersistent(false)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("broker.persistence");
        assertThatThrownBy(() -> Broker.check(KAFKA, SMALL.withJournal("nio")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("broker.journal");
        assertThatThrownBy(() -> Broker.check(KAFKA, SMALL.withTopology("ring")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3-nodes");
        assertThatThrownBy(() -> Broker.check(KAFKA, SMALL.withLogin("a b", Secret.of("secret"))))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a b").hasMessageNotContaining("secret");
        assertThatThrownBy(() -> Broker.check(KAFKA, SMALL.withTopology("3-nodes").withProperty("listeners", "A://:1")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("listeners");
    }
}
