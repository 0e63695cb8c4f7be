package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Settlement;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sharing of a topic by Kafka's groups, their start positions and their lifetime. */
class KafkaGroupsTest extends BrokerTest {

    KafkaGroupsTest() {
        super(KafkaBroker.SHARED);
    }

    /** A deletion of the whole group would also delete its positions on other topics. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsAGroupThatTheUserNamed(boolean share) throws Exception {
        var deleted = queue();
        var kept = queue();
        var connection = connect(settings().withProperty("group", "of-" + kept.name())
            .withProperty("share-group", Boolean.toString(share)));
        for (var queue : List.of(deleted, kept)) {
            var deliveries = new Deliveries();
            var consumer = connection.consumer(queue, auto(), deliveries);
            fill(queue, 5);
            deliveries.await(5);
            consumer.close();
        }
        awaitDepth(connection, kept, 0);
        connection.delete(deleted);
        assertThat(connection.depth(kept)).hasValue(0);
    }

    /** Of four partitions, two producers use the first two; a consumer that is assigned both of these would receive everything. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void sharesTheWorkOfAsManyProducersEvenly(int count) throws Exception {
        var queue = queue();
        var connection = connect();
        var consumers = new ArrayList<Deliveries>();
        for (int i = 0; i < count; i++) {
            consumers.add(receiving(connection, queue));
        }
        for (int i = 0; i < count; i++) {
            var sends = new Sends();
            send(connection.producer(queue, plain(), sends), sends, 0, 20, "p" + i + "-");
        }
        Deliveries.await(20 * count, consumers.toArray(Deliveries[]::new));
        assertThat(consumers).extracting(Deliveries::count).containsOnly(20);
    }

    /** If the first consumer processed 500 messages between two polls of its group, the second one could not join in time. */
    @Test
    void asksTheGroupAgainSoonWhereTheListenerIsSlow() throws Exception {
        var queue = queue();
        fill(queue, 800);
        var connection = connect();
        var first = slow();
        var mayBlock = ConsumerSettings.of(its -> its.mayBlock = true);
        connection.consumer(queue, mayBlock, first);
        first.await(1);
        connection.consumer(queue, mayBlock, slow());
    }

    /** Returns a listener that takes 100 ms for each message. */
    private static Deliveries slow() {
        return new Deliveries(delivery -> {
            LockSupport.parkNanos(100_000_000);
            return Settlement.ACCEPT;
        });
    }

    /** The other member supports only the assignment strategies of Kafka's clients. */
    @Test
    void sharesAGroupWithAMemberOfSomebodyElse() throws Exception {
        var queue = queue();
        declare(queue);
        var config = KafkaSettings.of(driver(), settings()).clients().consumer();
        config.put("group.id", "brokermeter-" + queue.name());
        config.put("auto.offset.reset", "earliest");
        try (var other = new KafkaConsumer<ByteBuffer, ByteBuffer>(config)) {
            other.subscribe(List.of(queue.name()));
            Await.until(() -> {
                other.poll(Duration.ofMillis(50));
                return other.assignment().size() == 4;
            }, () -> "has " + other.assignment());
            var joining = new FutureTask<>(() -> receiving(connect(), queue));
            Thread.ofVirtual().start(joining);
            Await.until(() -> {
                other.poll(Duration.ofMillis(50));
                return other.assignment().size() == 2 && joining.isDone();
            }, () -> "has " + other.assignment());
            joining.get();
        }
    }

    /** Guards against a thread of the consumer that never releases Kafka's client, and against a failure that is not reported. */
    @Test
    void aConsumerWithoutAPartitionCanBePolled() throws Exception {
        var queue = queue();
        var all = settings().withProperty("partitions", "1")
            .withProperty("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        var hasty = new ConnectionSettings(all.url(), all.user(), all.password(), null, Duration.ofSeconds(40), all.properties());
        var log = new ConnectionLog();
        var connection = connect(hasty, log);
        var consumers = new ArrayList<Consumer>();
        for (int i = 0; i < 2; i++) {
            consumers.add(connection.consumer(queue, ConsumerSettings.of(its -> its.polling = true), new Deliveries()));
        }
        assertThat(log.notices()).singleElement().asString().contains("no partition");
        for (var consumer : consumers) {
            try (var polling = new ConsumerPoller(consumer)) {
                Thread.sleep(500);
                polling.check();
            }
        }
    }

    /** The assignor sorts the members by their ids, so the second member takes the only partition of the first one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noticesThatALaterMemberTakesThePartitionOfAnEarlierOne(boolean named) throws Exception {
        var queue = queue();
        var all = settings().withProperty("partitions", "1");
        if (named) {
            all = all.withProperty("partition.assignment.strategy", RangeAssignor.class.getName());
        }
        var log = new ConnectionLog();
        for (var id : List.of("z", "a")) {
            receiving(
                connect(new ConnectionSettings(all.url(), all.user(), all.password(), id, all.connectTimeout(), all.properties()), log),
                queue);
        }
        Await.until(() -> !log.notices().isEmpty(), () -> "no notice");
        assertThat(log.notices()).singleElement().asString().contains("no partition");
    }

    /** Whoever has the partitions now may get the last messages again, which is no failure of a run. */
    @ParameterizedTest
    @CsvSource({"own, 0", "own, 10", "client, 0", "client, 10"})
    void noticesThatTheGroupWentOnBeforeItCommitted(String transport, int batch) throws Exception {
        var queue = queue();
        var log = new ConnectionLog();
        var deliveries = new Deliveries();
        var consumer = connect(settings().withProperty("transport", transport), log)
            .consumer(queue, batch == 0 ? auto() : consumer(AckMode.BATCH, batch), deliveries);
        fill(queue, 5);
        deliveries.await(5);
        try (var admin = Admin.create(KafkaSettings.of(driver(), settings()).clients().admin())) {
            admin.removeMembersFromConsumerGroup("brokermeter-" + queue.name(), new RemoveMembersFromConsumerGroupOptions()).all().get();
        }
        consumer.close();
        assertThat(deliveries.failures()).isEmpty();
        assertThat(log.notices()).filteredOn(notice -> notice.contains("went on without a consumer")).hasSize(1);
    }

    /** The broker takes no commit for a topic that is gone. Guards against a failure that only Kafka's client knows of. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void tellsThatItCouldNotCommitBeforeItsPartitionsWent(String transport) throws Exception {
        var queue = queue();
        var all = settings().withProperty("group", "of-" + queue.name()).withProperty("transport", transport)
            .withProperty("metadata.max.age.ms", "500").withProperty("max.poll.interval.ms", "5000");
        var connection =
            connect(new ConnectionSettings(all.url(), all.user(), all.password(), null, Duration.ofSeconds(5), all.properties()));
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        fill(queue, 5);
        deliveries.await(5);
        // A busy broker takes longer for it than the five seconds of the other connection.
        connect().delete(queue);
        Await.until(() -> !deliveries.failures().isEmpty(), () -> "no failure");
        assertThat(deliveries.failures()).singleElement().asString()
            .contains("the commit before its partitions went to other members failed");
    }

    /** Guards against consumers that start at the end whatever {@code auto.offset.reset} is. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void beginsATopicWhereTheUserSays(boolean shared) throws Exception {
        var topic = topic();
        declare(topic);
        fill(topic, 5);
        var deliveries = new Deliveries();
        connect(settings().withProperty("auto.offset.reset", "earliest")).consumer(topic, ConsumerSettings.of(its -> {
            its.subscription = shared ? "early-" + topic.name() : null;
            its.shared = shared;
        }), deliveries);
        deliveries.await(5);
        assertThat(deliveries.texts()).isEqualTo(numbered("m", 0, 5));
    }

    /** Guards against a group that is always read with read_committed. */
    @Test
    void showsAShareGroupWhatTransactionsHoldBackWhenAskedTo() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("share-group", "true").withProperty("isolation.level", "read_uncommitted"));
        var deliveries = receiving(connection, queue);
        var producer = connection.producer(queue, transacted(), new Sends());
        producer.send(payload("m"), 0);
        producer.flush();
        deliveries.await(1);
        producer.rollback();
    }
}
