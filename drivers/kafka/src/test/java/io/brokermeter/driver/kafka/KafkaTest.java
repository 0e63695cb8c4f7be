package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.SlowDelivery;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of the Kafka driver beyond the contract. */
class KafkaTest extends BrokerTest {

    private static final KafkaBroker BROKER = KafkaBroker.SHARED;

    KafkaTest() {
        super(BROKER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysThatADeliveryOutlastedTheClose(boolean polling) throws Exception {
        SlowDelivery.of(this, polling).isReported();
    }

    @Test
    void namesWhatTheClusterTellsOfItself() throws Exception {
        assertThat(connect().broker()).matches("Apache Kafka \\(metadata\\.version \\d+\\)");
    }

    @Test
    void sendsEveryMessageOfAKeyToOnePartition() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("key", "3"));
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 30, "k");
        sends.awaitConfirmed(30);
        var deliveries = receiving(connection, queue);
        deliveries.await(30);
        for (int key = 0; key < 3; key++) {
            int mine = key;
            assertThat(deliveries.texts().stream().filter(text -> Integer.parseInt(text.substring(1)) % 3 == mine))
                .isEqualTo(IntStream.range(0, 10).mapToObj(i -> "k" + (i * 3 + mine)).toList());
        }
    }

    /** A leader that is not yet aware of its role may refuse the first of several requests and accept a later one (KAFKA-15591). */
    @Test
    void sendsAtOnceToTopicsThatDidNotExist() throws Exception {
        var connection = connect(settings().withProperty("batch.size", "500"));
        for (int topic = 0; topic < 10; topic++) {
            var sends = new Sends();
            var producer = connection.producer(queue(), ProducerSettings.DEFAULT, sends);
            for (int i = 0; i < 300; i++) {
                producer.send(payload("" + i), i);
            }
            producer.flush();
            sends.awaitConfirmed(300);
            assertThat(sends.violations()).isEmpty();
            producer.close();
        }
    }

    /** Brokers close what is idle for 10 minutes: a drain, consumers that come late and a load in bursts last longer than that. */
    @Test
    void whatIsClosedWhileNothingIsOwedIsNoInterruption() throws Exception {
        // on a machine that stands still the close may be read after the next message was written
        Retry.upToThree(() -> {
            var proxy = proxy();
            var log = new ConnectionLog();
            var connection = connect(settings(proxy.host(), proxy.port()), log);
            var sends = new Sends();
            var producer = connection.producer(queue(), plain(), sends);
            for (int round = 1; round <= 3; round++) {
                send(producer, sends, 10 * (round - 1), 10 * round, "m");
                sends.awaitConfirmed(10 * round);
                // the client connects again at once when its metadata are due
                Await.until(() -> {
                    proxy.cut();
                    return proxy.connections() == 0;
                }, () -> proxy.connections() + " connections are open");
            }
            send(producer, sends, 30, 40, "m");
            sends.awaitConfirmed(40);
            assertThat(log.interruptions()).isZero();
            assertThat(log.losses()).isEmpty();
            assertThat(sends.violations()).isEmpty();
        });
    }

    /** The end marker of a transaction has an offset of its own behind the messages. */
    @Test
    void leavesNothingBehindWhatTransactionsSent() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("partitions", "1"));
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 15; i++) {
            producer.send(payload("m" + i), i);
            if (i % 5 == 4) {
                producer.commit();
            }
        }
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, consumer(AckMode.BATCH, 10), deliveries);
        deliveries.await(15);
        consumer.close();
        assertThat(deliveries.failures()).isEmpty();
        assertThat(connection.depth(queue)).hasValue(0);
    }

    /** The client commits when it closes, and only logs a failed commit. */
    @Test
    void saysThatTheLastPositionsWereNotCommitted() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var consumer = connect(settings(proxy.host(), proxy.port())).consumer(queue, auto(), deliveries);
        fill(queue, 15);
        deliveries.await(15);
        proxy.swallow();
        consumer.close();
        assertThat(deliveries.failures()).isNotEmpty();
    }

    /** Guards against a wakeup that interrupts the commit instead of a poll, so that the messages are neither committed nor reported. */
    @Test
    void commitsWhatWasDeliveredWhileTheConsumerClosed() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var delivering = new CountDownLatch(1);
        var closing = new AtomicReference<@Nullable Thread>();
        var deliveries = new Deliveries(delivery -> {
            delivering.countDown();
            // the closing thread waits once it has asked the consumer to stop
            Await.until(() -> {
                var thread = closing.get();
                return thread != null && (thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
            }, () -> "nobody closes the consumer");
            return Settlement.ACCEPT;
        });
        var consumer = connect(settings(proxy.host(), proxy.port())).consumer(queue, consumer(AckMode.BATCH, 10), deliveries);
        fill(queue, 1);
        assertThat(delivering.await(120, TimeUnit.SECONDS)).isTrue();
        proxy.swallow();
        var thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                consumer.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        closing.set(thread);
        assertThat(thread.join(Duration.ofSeconds(120))).isTrue();
        assertThat(deliveries.failures()).isNotEmpty();
    }

    @Test
    void refusesAPartitionThatTheTopicDoesNotHave() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("partition", "9").withProperty("partitions", "2"));
        assertThatThrownBy(() -> connection.producer(queue, plain(), new Sends()))
            .isInstanceOf(DriverException.class).hasMessageContaining("no partition 9").hasMessageContaining("it has 2");
    }

    @Test
    void sendsWithAKeyForAGroupAndWithHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            ProducerSettings.of(its -> {
                its.persistent = true;
                its.timestamps = true;
                its.maxPending = 100;
                its.variants = List.of(new MessageVariant("orders", -1, Map.of("colour", "red")));
            }), sends);
        send(producer, sends, 0, 20, "g");
        sends.awaitConfirmed(20);
        assertThat(receive(queue, 20)).hasSize(20);
    }

    @Test
    void throwsWhatTheClientDoesNotTake() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("max.request.size", "1000"));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        assertThatThrownBy(() -> producer.send(payload("x".repeat(2000)), 0)).isInstanceOf(DriverException.class)
            .hasMessageContaining("max.request.size").satisfies(cause -> sends.refused(0, cause));
        producer.send(payload("small"), 1);
        Await.until(() -> sends.confirmed() == 1, () -> "confirmed: " + sends.confirmed());
        assertThat(sends.violations()).isEmpty();
    }

    /** A message that does not fit into the buffer is never sent, so its outcome must not be reported as unknown. */
    @Test
    void saysThatWhatTheBufferDidNotTakeIsNotStored() throws Exception {
        var proxy = proxy();
        var producer = connect(settings(proxy.host(), proxy.port()).withProperty("buffer.memory", "20000")
            .withProperty("max.block.ms", "12000")).producer(queue(), plain(), new Sends());
        proxy.swallow();
        producer.send(payload("x".repeat(15_000)), 0);
        assertThatThrownBy(() -> producer.send(payload("x".repeat(15_000)), 1)).isInstanceOf(DriverException.class)
            .hasMessageStartingWith("The message was not stored: ");
    }

    @Test
    void sharesAQueueInAShareGroupWithMoreConsumersThanPartitions() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("share-group", "true").withProperty("partitions", "1");
        var connection = connect(settings);
        var one = receiving(connection, queue);
        var two = receiving(connection, queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 2000, "m");
        Deliveries.await(2000, one, two);
        connection.close();
        assertThat(one.failures()).isEmpty();
        assertThat(two.failures()).isEmpty();
        var other = connect(settings);
        awaitDepth(other, queue, 0);
    }

    /** The group does not grow in this case, so the number of its members does not show that the second one has joined. */
    @RepeatedTest(3)
    void joinsAShareGroupAsAnotherMemberLeavesIt() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("share-group", "true");
        var connection = connect(settings);
        var first = connection.consumer(queue, auto(), new Deliveries());
        var closing = Executors.newSingleThreadExecutor();
        var closed = closing.submit(() -> {
            first.close();
            return null;
        });
        closing.shutdown();
        var second = receiving(connection, queue);
        closed.get();
        fill(queue, 10);
        second.await(10);
        assertThat(second.failures()).isEmpty();
    }

    @Test
    void settlesEachMessageOfAShareGroupThatIsPolled() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("share-group", "true");
        assertThat(driver().capabilities(settings)).contains(Capability.REQUEUE, Capability.REJECT);
        var connection = connect(settings);
        fill(queue, 10);
        var seen = new HashSet<String>();
        var deliveries = new Deliveries(delivery -> delivery.text().equals("m7") ? Settlement.REJECT
            : delivery.text().equals("m3") && seen.add("m3") ? Settlement.REQUEUE : Settlement.ACCEPT);
        var consumer = connection.consumer(queue,
            ConsumerSettings.of(its -> { its.settles = true; its.polling = true; }), deliveries);
        try (var polling = new ConsumerPoller(consumer)) {
            deliveries.await(11);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertThat(deliveries.all().stream().filter(Deliveries.Delivery::redelivered).map(Deliveries.Delivery::text))
            .containsExactly("m3");
        assertThat(deliveries.texts()).filteredOn("m7"::equals).hasSize(1);
        assertThat(deliveries.violations()).isEmpty();
        awaitDepth(connection, queue, 0);
    }

    @Test
    void refusesToGiveBackWhatIsAcknowledgedByPosition() throws Exception {
        assertThat(driver().capabilities(settings())).doesNotContain(Capability.REQUEUE, Capability.REJECT);
        assertThatThrownBy(() -> connect().consumer(queue(),
            ConsumerSettings.of(its -> its.settles = true), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("share-group=true");
    }

    /** The group assigns partitions in the order of member names, so the second member may take over the partition of the first one. */
    @ParameterizedTest
    @CsvSource({"a, b", "b, a"})
    void namesAConsumerThatGetsNoPartition(String first, String second) throws Exception {
        var queue = queue();
        var log = new ConnectionLog();
        for (String id : List.of(first, second)) {
            connect(settings().withProperty("partitions", "1").withClientId(id), log).consumer(queue, auto(), new Deliveries());
        }
        Await.until(() -> !log.notices().isEmpty(), () -> "no notice of a consumer without a partition");
        assertThat(log.notices()).singleElement().asString().contains("no partition").contains(queue.name());
    }

    @Test
    void sharesAQueueUnderTheNewGroupProtocol() throws Exception {
        var queue = queue();
        var connection = connect(BROKER.spreading().withProperty("group.protocol", "consumer"));
        var one = receiving(connection, queue);
        var two = receiving(connection, queue);
        var sends = new Sends();
        assertShared(connection.producer(queue, plain(), sends), sends, one, two);
    }

    /** As a group of consumers with a number of messages to take does, beside a group without one. */
    @Test
    void aMemberThatTakesNothingMoreLeavesItsPartitionsToTheOthers() throws Exception {
        var queue = queue();
        var connection = connect(BROKER.spreading());
        var full = new Deliveries(_ -> Settlement.LEAVE);
        connection.consumer(queue, auto(), full);
        var other = receiving(connection, queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 40, "m");
        sends.awaitConfirmed(40);
        full.await(1);
        other.await(40);
    }

    @Test
    void namesTheStateOfAGroupThatASilentMemberHolds() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        receiving(connect(settings(proxy.host(), proxy.port()).withProperty("session.timeout.ms", "200000")), queue);
        proxy.hold();
        var all = settings();
        var hasty = new ConnectionSettings(all.url(), all.user(), all.password(), null, Duration.ofSeconds(12), all.properties());
        var connection = connect(hasty);
        assertThatThrownBy(() -> receiving(connection, queue)).isInstanceOf(DriverException.class)
            .hasMessageContaining("no place in its group (PreparingRebalance) after 12.0 s");
    }

    @Test
    void deliversAgainWhatAConsumerThatFellSilentDidNotCommit() throws Exception {
        var proxy = proxy();
        var queue = queue();
        var all = settings();
        // the group waits for the silent member before it admits another one
        var direct = connect(new ConnectionSettings(all.url(), all.user(), all.password(), null, Duration.ofSeconds(60), all.properties()));
        var sends = new Sends();
        send(direct.producer(queue, plain(), sends), sends, 0, 25, "m");
        sends.awaitConfirmed(25);
        var deliveries = new Deliveries();
        // longer than a stall of the machine, which must not end the membership before the wire is held
        connect(settings(proxy.host(), proxy.port()).withProperty("session.timeout.ms", "25000")
            .withProperty("request.timeout.ms", "25000")).consumer(queue, consumer(AckMode.BATCH, 10), deliveries);
        deliveries.await(25);
        awaitDepth(direct, queue, 5);
        proxy.hold();
        var again = receiving(direct, queue);
        again.await(5);
        assertThat(again.texts()).containsExactly("m20", "m21", "m22", "m23", "m24");
    }

    @Test
    void goesOnWhenOneOfThreeNodesIsKilled() throws Exception {
        int port = FreePorts.one();
        var options = BrokerOptions.defaults().withHeap("256m").withTopology("3-nodes").withPort(port);
        try (var cluster = Broker.start(BrokerName.parse("kafka"), options)) {
            assertThat(cluster.port()).isEqualTo(port);
            assertThat(cluster.nodes()).extracting(BrokerNode::role).containsExactly("node 1", "node 2", "node 3");
            assertThat(cluster.url()).matches("kafka://(127\\.0\\.0\\.1:\\d+,){2}127\\.0\\.0\\.1:\\d+");
            var log = new ConnectionLog();
            var connection = connect(new ConnectionSettings(cluster.url(), null, null, null, Duration.ofSeconds(60))
                .withProperty("partition", "round-robin").withProperty("partitions", "3"), log);
            var queue = new Destination(Destination.Kind.QUEUE, "survives");
            connection.declare(queue);
            for (int i = 0; i < 25; i++) {
                // the node that is asked about a topic may be the last one to learn of it
                var other = new Destination(Destination.Kind.QUEUE, "other-" + i);
                connection.declare(other);
                assertThat(connection.depth(other)).hasValue(0);
            }
            var deliveries = receiving(connection, queue);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 300, "m");
            sends.awaitConfirmed(300);
            cluster.nodes().get(1).kill();
            send(producer, sends, 300, 600, "m");
            sends.awaitConfirmed(600);
            Await.until(() -> new HashSet<>(deliveries.texts()).size() == 600,
                () -> new HashSet<>(deliveries.texts()).size() + " of 600 came");
            assertThat(log.losses()).isEmpty();
            connection.close();
        }
    }

    @Test
    void confirmsWithoutWaitingWhereNothingIsAcknowledged() throws Exception {
        var settings = settings().withProperty("acks", "0").withProperty("enable.idempotence", "false");
        assertThat(driver().capabilities(settings)).doesNotContain(Capability.CONFIRMATIONS, Capability.PERSISTENCE);
        var queue = queue();
        var sends = new Sends();
        send(connect(settings).producer(queue, plain(), sends), sends, 0, 100, "m");
        sends.awaitConfirmed(100);
        assertThat(receive(queue, 100)).hasSize(100);
    }

    @Test
    void refusesParametersThatCannotBe() {
        assertRefused("linger.ms", "soon", "linger.ms");
        assertRefused("liner.ms", "1", "did you mean linger.ms?");
        assertRefused("bootstrap.servers", "a:1", "in the URL");
        assertRefused("partition", "left", "round-robin");
        assertRefused("requeue-share", "0.5", "consumers.requeue");
        assertRefused("group.id", "mine", "parameter group");
        assertRefused("acks", "5", "acks");
    }

    private void assertRefused(String name, String value, String words) {
        assertThatThrownBy(() -> driver().check(settings().withProperty(name, value)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words);
    }

    @Test
    void hidesPasswordsOfParameters() {
        assertThat(driver().effectiveUrl(BROKER.withUrl("kafka://h:1?ssl.key.password=hidden")))
            .isEqualTo("kafka://h:1?ssl.key.password=***");
    }

    @Test
    void closesManyConsumersOfASilentBrokerWithinOneLimit() throws Exception {
        var proxy = proxy();
        var connection = connect(settings(proxy.host(), proxy.port()).withProperty("partitions", "4"));
        var queue = queue();
        connection.declare(queue);
        var deliveries = new Deliveries();
        for (int i = 0; i < 4; i++) {
            connection.consumer(queue, ConsumerSettings.of(its -> {
                its.ackMode = AckMode.BATCH;
                its.batch = 100;
            }), deliveries);
            connection.consumer(topic(), auto(), new Deliveries());
        }
        var sends = new Sends();
        send(connect(settings().withProperty("partition", "round-robin")).producer(queue, plain(), sends), sends, 0, 20, "m");
        deliveries.await(20);
        proxy.swallow();
        long start = System.nanoTime();
        connection.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("time to close 8 consumers, each of which waits for 20 s at most")
            .isLessThan(Duration.ofSeconds(100));
        assertThat(deliveries.failures()).isNotEmpty();
    }

    /** Guards against closes that each wait for the connect timeout until their group is removed. */
    @Test
    void closesSubscriptionsOfASilentBrokerWithinOneLimit() throws Exception {
        var proxy = proxy();
        var all = settings(proxy.host(), proxy.port());
        var limit = Duration.ofSeconds(15);
        var connection = connect(new ConnectionSettings(all.url(), all.user(), all.password(), null, limit, all.properties()));
        var topic = topic();
        var consumers = new ArrayList<Consumer>();
        for (int i = 0; i < 6; i++) {
            String name = topic.name() + i;
            consumers.add(connection.consumer(topic, ConsumerSettings.of(its -> {
                its.subscription = name;
                its.shared = true;
            }), new Deliveries()));
        }
        proxy.swallow();
        long start = System.nanoTime();
        for (var consumer : consumers) {
            consumer.close();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(limit.multipliedBy(4));
    }
}
