package io.brokermeter.driver.kafka.direct;

import static io.brokermeter.contract.TestMessages.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.kafka.direct.FakeBroker.Fate;
import io.brokermeter.driver.kafka.link.FakeServer;
import io.brokermeter.driver.kafka.link.UnsuitedBroker;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a producer of this path takes what brokers do: refusals, ends of connections, moved leaders. */
class DirectProducerTest {

    private static final int MESSAGES = 2000;

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
    private final Sends sends = new Sends();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private FakeBroker broker(int id, FakeBroker.Log log) throws Exception {
        FakeBroker broker = new FakeBroker(id, log);
        open.add(broker);
        return broker;
    }

    /** A cluster whose leaders a test decides. */
    static final class Cluster implements Owner {

        volatile List<@Nullable Node> leaders;
        volatile Duration closeLimit = Duration.ofSeconds(20);
        final AtomicInteger questions = new AtomicInteger();

        Cluster(@Nullable Node... leaders) {
            this.leaders = List.of(leaders);
        }

        @Override
        public List<@Nullable Node> leaders(String topic) {
            questions.incrementAndGet();
            return leaders;
        }

        @Override
        public DriverException sendFailure(Throwable failure) {
            return new DriverException("failed: " + failure.getMessage(), failure);
        }

        @Override
        public DriverException notTaken(Exception failure) {
            return new DriverException("not taken: " + failure.getMessage(), failure);
        }

        @Override
        public boolean leavesUnknown(Throwable failure) {
            return !(failure instanceof RecordTooLargeException);
        }

        @Override
        public void close(DirectProducer producer, Consumer<Duration> closing) {
            closing.accept(closeLimit);
        }

        @Override
        public String stallReason() {
            return "";
        }
    }

    private DirectProducer producer(Cluster cluster, String... settings) throws Exception {
        return producer(cluster, DirectFixtures.settings(settings));
    }

    private DirectProducer producer(Cluster cluster, DirectSettings settings) throws Exception {
        int count = cluster.leaders.size();
        var routes = new Routes(count, IntStream.range(0, count).toArray(), new byte[1][], false, List.of(Map.of()), false);
        DirectProducer producer = DirectProducer.open(cluster, settings, "T", routes, 1000, sends);
        open.add(producer);
        return producer;
    }

    /** Guards against an end that waits for what has not begun, and tells of that in place of the reason. */
    @Test
    void tellsWhichRequestABrokerLacks() throws Exception {
        var old = new FakeServer(1) {

            @Override
            protected ApiMessage answer(RequestHeader header, ByteBuffer request) {
                return versions(ApiKeys.PRODUCE);
            }

            @Override
            protected void trouble(RuntimeException what) {
                throw what;
            }
        };
        open.add(old);
        assertThatThrownBy(() -> producer(new Cluster(old.node()))).isInstanceOf(UnsuitedBroker.class)
            .hasMessageContaining("does not know version 1 of Kafka's request InitProducerId");
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    private static void send(DirectProducer producer, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.flush();
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "1", "0"})
    void sendsBatchesInTheirOrder(String acks) throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.STORE);
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "acks", acks);
        send(producer, 0, MESSAGES);
        sends.awaitConfirmed(MESSAGES);
        Await.until(() -> log.stored(0).size() == MESSAGES, () -> log.stored(0).size() + " are stored");
        assertThat(log.stored(0)).isEqualTo(numbered(MESSAGES));
        assertThat(log.identities()).isEqualTo(acks.equals("all") ? 1 : 0);
        producer.close();
        sends.closed();
        assertThat(sends.violations()).isEmpty();
        assertThat(log.trouble).isEmpty();
    }

    /** Whatever fails in between, everything is stored once and in its order. */
    @ParameterizedTest
    @EnumSource(value = Fate.class, names = {"NOT_LEADER", "TOO_FEW", "FORGOTTEN", "STORE_AND_CUT", "STORE_AND_TIME_OUT"})
    void sendsAgainWhatFailed(Fate fate) throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> number % 20 == 7 ? fate : Fate.STORE);
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "retry.backoff.ms", "5");
        send(producer, 0, MESSAGES);
        sends.awaitConfirmed(MESSAGES);
        assertThat(log.stored(0)).isEqualTo(numbered(MESSAGES));
        assertThat(sends.violations()).isEmpty();
        assertThat(log.trouble).isEmpty();
        if (fate == Fate.FORGOTTEN) {
            assertThat(log.identities()).isGreaterThan(1);
        } else {
            assertThat(log.identities()).isEqualTo(1);
        }
    }

    @Test
    void followsALeaderThatMoves() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> broker == (number < 9 ? 1 : 2) ? Fate.STORE : Fate.NOT_LEADER);
        var first = broker(1, log);
        var second = broker(2, log);
        var cluster = new Cluster(first.node());
        var producer = producer(cluster, "batch.size", "300", "retry.backoff.ms", "5");
        send(producer, 0, MESSAGES / 2);
        Await.until(() -> log.batches() > 15, () -> log.batches() + " batches came");
        cluster.leaders = List.of(second.node());
        send(producer, MESSAGES / 2, MESSAGES);
        sends.awaitConfirmed(MESSAGES);
        assertThat(log.stored(0)).isEqualTo(numbered(MESSAGES));
        assertThat(sends.violations()).isEmpty();
    }

    /** Also when it connects again. */
    @Test
    void connectsFromTheAddressThatItIsTold() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> number == 5 ? Fate.STORE_AND_CUT : Fate.STORE);
        var broker = broker(1, log);
        var producer =
            producer(new Cluster(broker.node()), DirectFixtures.from("127.0.0.77", "batch.size", "300", "retry.backoff.ms", "5"));
        send(producer, 0, MESSAGES);
        sends.awaitConfirmed(MESSAGES);
        assertThat(broker.connections()).isGreaterThan(1);
        assertThat(broker.clients()).containsExactly("127.0.0.77");
    }

    @Test
    void goesOnAfterARefusal() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> number == 5 ? Fate.TOO_LARGE : Fate.STORE);
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "retry.backoff.ms", "5");
        send(producer, 0, MESSAGES);
        sends.awaitReported(MESSAGES);
        assertThat(sends.failures()).isNotEmpty().hasSizeLessThan(50);
        List<String> expected = new ArrayList<>(numbered(MESSAGES));
        sends.failures().keySet().forEach(token -> expected.remove("m" + token));
        assertThat(log.stored(0)).isEqualTo(expected);
        assertThat(sends.unknown()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void givesUpWithoutRetries() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> number == 3 ? Fate.TOO_FEW : Fate.STORE);
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "retries", "0", "enable.idempotence", "false");
        send(producer, 0, MESSAGES);
        sends.awaitReported(MESSAGES);
        assertThat(sends.unknown()).isNotEmpty().hasSizeLessThan(50);
        assertThat(sends.failures()).isEmpty();
    }

    /** What was in flight when the connection ended is stored, but nobody was told. */
    @Test
    void sendsNothingAgainWithoutRetries() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> number == 3 ? Fate.STORE_AND_CUT : Fate.STORE);
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "retries", "0", "enable.idempotence", "false",
            "retry.backoff.ms", "5");
        send(producer, 0, MESSAGES);
        sends.awaitReported(MESSAGES);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.unknown()).isNotEmpty().hasSizeLessThan(200);
        assertThat(log.stored(0)).doesNotHaveDuplicates();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void connectsWhereThatIsPossible() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.STORE);
        var first = broker(1, log);
        var second = broker(2, log);
        var producer = producer(new Cluster(first.node(), second.node()), "linger.ms", "1", "retry.backoff.ms", "5");
        first.close();
        second.cut();
        send(producer, 0, 2);
        Await.until(() -> log.stored(1).contains("m1"), () -> "the broker that is there got " + log.stored(1));
    }

    @Test
    void sharesARequestAmongPartitions() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.STORE);
        var broker = broker(1, log).node();
        var producer = producer(new Cluster(broker, broker, broker), "linger.ms", "20");
        send(producer, 0, 300);
        sends.awaitConfirmed(300);
        for (int p = 0; p < 3; p++) {
            int mine = p;
            assertThat(log.stored(p)).isEqualTo(IntStream.range(0, 100).mapToObj(i -> "m" + (3 * i + mine)).toList());
        }
        assertThat(sends.violations()).isEmpty();
    }

    /** The connection is full when the last batch begins, and is free again before the time of that batch is up. */
    @Test
    void sendsWhatBeganWhileTheConnectionWasFull() throws Exception {
        var answers = new CountDownLatch(1);
        var log = new FakeBroker.Log((broker, number, partition, first) -> {
            Await.until(() -> answers.getCount() == 0, () -> "no answer may come");
            return Fate.STORE;
        });
        var producer = producer(new Cluster(broker(1, log).node()), "batch.size", "300", "linger.ms", "200",
            "max.in.flight.requests.per.connection", "1");
        for (int i = 0; i < 100; i++) {
            producer.send(payload("m" + i), i);
        }
        long sent = System.nanoTime();
        Await.until(() -> System.nanoTime() - sent > 400_000_000, () -> "the time of what was sent is up");
        for (int i = 100; i < 150; i++) {
            producer.send(payload("m" + i), i);
        }
        answers.countDown();
        sends.awaitConfirmed(150);
        assertThat(log.stored(0)).isEqualTo(numbered(150));
    }

    /** Without linger.ms, a flush sends; with it, the time alone does. */
    @Test
    void waitsForTheFlushOrForTheTime() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.STORE);
        var cluster = new Cluster(broker(1, log).node());
        var producer = producer(cluster, "linger.ms", "0");
        for (int i = 0; i < 10; i++) {
            producer.send(payload("m" + i), i);
        }
        assertThat(log.batches()).isZero();
        producer.flush();
        sends.awaitConfirmed(10);
        assertThat(log.batches()).isEqualTo(1);
        var later = producer(cluster, "linger.ms", "30");
        for (int i = 10; i < 20; i++) {
            later.send(payload("m" + i), i);
        }
        sends.awaitConfirmed(20);
        assertThat(log.stored(0)).isEqualTo(numbered(20));
    }

    @Test
    void reportsAsUnknownWhatWasGivenAndAsFailedWhatWasNot() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.SILENCE);
        var cluster = new Cluster(broker(1, log).node());
        cluster.closeLimit = Duration.ofMillis(200);
        var producer = producer(cluster, "batch.size", "300", "max.in.flight.requests.per.connection", "1");
        send(producer, 0, 100);
        Await.until(() -> log.batches() == 1, () -> "no batch came");
        producer.close();
        sends.closed();
        assertThat(sends.unknown()).isNotEmpty();
        assertThat(sends.failures()).isNotEmpty();
        assertThat(sends.unknown().size() + sends.failures().size()).isEqualTo(100);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void waitsForMemoryAndThenRefuses() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.SILENCE);
        var cluster = new Cluster(broker(1, log).node());
        cluster.closeLimit = Duration.ofMillis(1);
        var producer = producer(cluster, "batch.size", "1000", "buffer.memory", "5000", "max.block.ms", "100");
        List<Exception> refused = new ArrayList<>();
        for (int i = 0; i < 1000 && refused.isEmpty(); i++) {
            try {
                producer.send(payload("m" + i), i);
            } catch (DriverException e) {
                refused.add(e);
            }
        }
        assertThat(refused.getFirst()).hasMessageContaining("max.block.ms");
    }

    @Test
    void givesUpAfterTheTimeOfDelivery() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.NOT_LEADER);
        var producer =
            producer(new Cluster(broker(1, log).node()), "linger.ms", "1", "request.timeout.ms", "500", "delivery.timeout.ms", "600",
                "retry.backoff.ms", "10");
        send(producer, 0, 10);
        sends.awaitReported(10);
        assertThat(sends.unknown()).hasSize(10);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void endsWithTheConnection() throws Exception {
        var log = new FakeBroker.Log((broker, number, partition, first) -> Fate.SILENCE);
        var producer = producer(new Cluster(broker(1, log).node()));
        send(producer, 0, 10);
        Await.until(() -> log.batches() == 1, () -> "no batch came");
        producer.lost(new DriverException("It is over.", null));
        assertThat(sends.unknown()).hasSize(10);
        producer.close();
        assertThat(sends.violations()).isEmpty();
    }
}
