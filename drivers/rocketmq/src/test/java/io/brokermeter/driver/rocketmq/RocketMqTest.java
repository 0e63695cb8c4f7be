package io.brokermeter.driver.rocketmq;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.SlowDelivery;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of the RocketMQ driver beyond the contract. */
class RocketMqTest extends BrokerTest {

    RocketMqTest() {
        super(RocketMqBroker.SHARED);
    }

    @Test
    void saysThatADeliveryOutlastedTheClose() throws Exception {
        SlowDelivery.of(this, false, settings().connectTimeout()).isReported();
    }

    @ParameterizedTest
    @ValueSource(strings = {"send=sync", "send=oneway", "orderly=true", "delay-level=1", "pull-batch=1",
        "consume-batch=10", "consume-threads=4", "compressMsgBodyOverHowmuch=1"})
    void carriesMessagesWith(String parameter) throws Exception {
        var queue = queue();
        var parts = parameter.split("=");
        var connection = connect(settings().withProperty(parts[0], parts[1]));
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 50, "m");
        sends.awaitConfirmed(50);
        deliveries.await(50);
        assertThat(deliveries.texts()).hasSize(50).doesNotHaveDuplicates();
        assertThat(deliveries.violations()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void sendsFromSeveralConnectionsThroughOneClient() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("shared-client", "true");
        var deliveries = new Deliveries();
        connect(settings()).consumer(queue, auto(), deliveries);
        var first = connect(settings);
        var second = connect(settings);
        var firstSends = new Sends();
        var secondSends = new Sends();
        send(first.producer(queue, plain(), firstSends), firstSends, 0, 20, "a");
        var producer = second.producer(queue, plain(), secondSends);
        send(producer, secondSends, 0, 20, "b");
        firstSends.awaitConfirmed(20);
        assertThat(Clients.shared()).isEqualTo(1);
        first.close();
        send(producer, secondSends, 20, 40, "b");
        secondSends.awaitConfirmed(40);
        deliveries.await(60);
        assertThat(deliveries.texts()).hasSize(60).doesNotHaveDuplicates();
        second.close();
        assertThat(Clients.shared()).isZero();
    }

    /** The client reports a new version of a subscription only once, and brokers do not serve a version that they do not know. */
    @Test
    void isServedAfterADistributionDuringAnotherReport() throws Exception {
        var queue = queue();
        var deliveries = new Deliveries();
        var client = ((PushConsumer) connect().consumer(queue, auto(), deliveries)).impl();
        var timers = MQClientInstance.class.getDeclaredField("scheduledExecutorService");
        timers.setAccessible(true);
        // no regular reports
        ((ExecutorService) timers.get(client.getmQClientFactory())).shutdownNow();
        var lock = MQClientInstance.class.getDeclaredField("lockHeartbeat");
        lock.setAccessible(true);
        var reports = new LockTakenOnce();
        lock.set(client.getmQClientFactory(), reports);
        client.getRebalanceImpl().getProcessQueueTable().keySet().stream().filter(each -> !each.getTopic().startsWith("%RETRY%"))
            .forEach(client.getRebalanceImpl()::removeProcessQueue);
        client.getmQClientFactory().rebalanceImmediately();
        Await.until(reports.refused::get, () -> "the new distribution was not reported");
        fill(queue, 20);
        deliveries.await(20);
        assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(numbered("m", 0, 20));
    }

    /** The lock of a client's reports, held by another report at the first attempt. */
    private static final class LockTakenOnce extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        final AtomicBoolean refused = new AtomicBoolean();

        @Override
        public boolean tryLock() {
            return !refused.compareAndSet(false, true) && super.tryLock();
        }
    }

    /** RocketMQ acknowledges a batch as a whole, but messages of it that a consumer has accepted must not be delivered to another one. */
    @Test
    void leavesTheRestOfABatchOfALockedQueue() throws Exception {
        var queue = queue();
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 40, "m");
        sends.awaitConfirmed(40);
        var taken = new ConcurrentLinkedQueue<String>();
        var deliveries = new Deliveries(delivery -> {
            if (taken.size() == 13) {
                return Settlement.LEAVE;
            }
            taken.add(delivery.text());
            return Settlement.ACCEPT;
        });
        var settings = settings().withProperty("orderly", "true").withProperty("consume-batch", "10");
        var consumer = connect(settings).consumer(queue, auto(), deliveries);
        deliveries.await(14);
        consumer.close();
        deliveries.closed();
        assertThat(taken).containsExactlyElementsOf(numbered("m", 0, 13));
        var rest = new Deliveries();
        var other = connect(settings).consumer(queue, auto(), rest);
        rest.await(27);
        other.close();
        assertThat(rest.texts()).containsExactlyElementsOf(numbered("m", 13, 40));
        awaitDepth(connect(), queue, 0);
        assertThat(deliveries.violations()).isEmpty();
    }

    /** RocketMQ settles a batch as a whole, so the other messages of the batch could become dead letters as well. */
    @Test
    void refusesOneMessageAloneWhateverTheBatchesOfTheClient() throws Exception {
        var queue = queue();
        fill(queue, 20);
        var deliveries = new Deliveries(delivery -> delivery.text().equals("m7") ? Settlement.REJECT : Settlement.ACCEPT);
        var connection = connect(settings().withProperty("consumeMessageBatchMaxSize", "32").withProperty("queues", "1"));
        connection.consumer(queue, ConsumerSettings.of(its -> its.settles = true), deliveries);
        deliveries.await(20);
        assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(numbered("m", 0, 20));
        awaitDepth(connection, queue, 0);
    }

    /** A run that ends immediately interrupts the threads of its senders. */
    @Test
    void reportsASendThatWasInterruptedOnceAndThrowsNothing() throws Exception {
        var sends = new Sends();
        var producer = connect(settings().withProperty("send", "sync")).producer(queue(), plain(), sends);
        Thread.currentThread().interrupt();
        Throwable thrown = catchThrowable(() -> producer.send(payload("m"), 0));
        assertThat(Thread.interrupted()).as("whether the thread is still interrupted").isTrue();
        assertThat(thrown).isNull();
        assertThat(sends.reported()).isEqualTo(1);
        producer.close();
        assertThat(sends.reported()).isEqualTo(1);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void refusesDelaysInTransactions() throws Exception {
        var connection = connect();
        assertThatThrownBy(() -> connection.producer(queue(),
            ProducerSettings.of(its -> {
                its.persistent = true;
                its.delayMillis = 1000;
                its.transacted = true;
                its.maxPending = 10;
            }), new Sends()))
            .isInstanceOf(DriverException.class).hasMessageContaining("or the transactions");
    }

    @Test
    void refusesTwoDelays() throws Exception {
        var connection = connect(settings().withProperty("delay-level", "3"));
        assertThatThrownBy(() -> connection.producer(queue(),
            ProducerSettings.of(its -> {
                its.persistent = true;
                its.delayMillis = 1000;
                its.maxPending = 10;
            }), new Sends()))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("delay-level");
    }

    @Test
    void createsTopicsWithAsManyQueuesAsAskedFor() throws Exception {
        var queue = queue();
        connect(settings().withProperty("queues", "8")).declare(queue);
        try (var admin = AdminConnection.open(RocketMqSettings.of(driver(), settings()), new TopicBrokers(), Set.of(), closed -> {})) {
            assertThat(admin.queues(Names.topic(queue), true)).hasSize(8);
        }
    }

    @Test
    void selectsByTag() throws Exception {
        var queue = queue();
        var red = new Deliveries();
        connect().consumer(queue, ConsumerSettings.of(its -> its.selector = "red || green"), red);
        for (String tag : List.of("red", "blue", "green")) {
            var sends = new Sends();
            var producer = connect(settings().withProperty("tags", tag)).producer(queue, plain(), sends);
            producer.send(payload(tag), 0);
            sends.awaitConfirmed(1);
        }
        red.await(2);
        assertThat(red.texts()).containsExactlyInAnyOrder("red", "green");
    }

    /** Guards against the depth for the group without a selector, which has no members. */
    @Test
    void theDepthOfAQueueIsWhatWaitsForTheConsumersWithASelector() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("tags", "red"));
        var red = new Deliveries();
        var consumer = connection.consumer(queue, ConsumerSettings.of(its -> its.selector = "red"), red);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        red.await(10);
        consumer.close();
        var other = connect();
        awaitDepth(other, queue, 0);
        other.consumer(queue, ConsumerSettings.of(its -> its.selector = "blue"), new Deliveries()).close();
        assertThat(other.depth(queue)).as("with two groups").isEmpty();
    }

    /**
     * Waits until the broker lists a group. The last group of its list may be missing while another test creates one; a deleted group does
     * not reappear.
     */
    private void awaitGroup(String group, String when) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        Set<String> seen = groups();
        while (!seen.contains(group) && System.nanoTime() < deadline) {
            seen = groups();
        }
        assertThat(seen).as(when).contains(group);
    }

    @SuppressWarnings("deprecation") // the only access to the client instance
    private Set<String> groups() throws Exception {
        var read = RocketMqSettings.of(driver(), settings());
        var client = Clients.producer(read);
        try {
            for (int attempt = 0;; attempt++) {
                try {
                    return client.getDefaultMQProducerImpl().getMqClientFactory().getMQClientAPIImpl()
                        .getAllSubscriptionGroup("127.0.0.1:" + RocketMqBroker.SHARED.port(), 30_000).getSubscriptionGroupTable().keySet();
                } catch (MQBrokerException e) {
                    // the broker fails if another test deletes a group at the same time
                    if (attempt == 20) {
                        throw e;
                    }
                }
            }
        } finally {
            Clients.end(client, read);
        }
    }

    @Test
    void deletesTheGroupsOfSelectorsWithTheirQueue() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.consumer(queue, ConsumerSettings.of(its -> its.selector = "red"), new Deliveries()).close();
        String group = Names.queueGroup(queue, "red", RocketMqSettings.of(driver(), settings()));
        awaitGroup(group, "while its consumer is known");
        connection.delete(queue);
        assertThat(groups()).doesNotContain(group);
    }

    /** The group may have positions on other topics, and dead letters. */
    @Test
    void keepsAGroupThatTheUserNamed() throws Exception {
        var queue = queue();
        var topic = topic();
        String group = "named-" + queue.name().replaceAll("[^A-Za-z0-9]", "");
        var connection = connect(settings().withProperty("group", group));
        connection.consumer(queue, auto(), new Deliveries()).close();
        connect().delete(queue);
        awaitGroup(group, "after a connection that does not name it deleted the queue");
        connection.consumer(topic, ConsumerSettings.of(its -> {
            its.subscription = "s";
            its.shared = true;
        }), new Deliveries()).close();
        awaitGroup(group, "after a subscription that is not durable");
        connection.unsubscribe(topic, "s");
        connection.delete(queue);
        awaitGroup(group, "after all");
    }

    /** Otherwise the next run with the same names would receive messages that were sent between the two runs. */
    @Test
    void beginsASharedSubscriptionAnewThatAKilledRunLeft() throws Exception {
        var topic = topic();
        declare(topic);
        var read = RocketMqSettings.of(driver(), settings());
        try (var admin = AdminConnection.open(read, new TopicBrokers(), Set.of(), closed -> {})) {
            String group = Names.subscriptionGroup(topic, "s", null, read);
            admin.groups().create(group);
            admin.groups().beginAtTheEnd(Names.topic(topic), group, false);
        }
        fill(topic, 5);
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(topic, ConsumerSettings.of(its -> {
            its.subscription = "s";
            its.shared = true;
        }), deliveries);
        var sends = new Sends();
        send(connection.producer(topic, plain(), sends), sends, 0, 3, "new");
        deliveries.await(3);
        assertThat(deliveries.texts()).containsExactlyElementsOf(numbered("new", 0, 3));
    }

    @Test
    void refusesASelectorThatWouldNeverMatch() throws Exception {
        var connection = connect();
        assertThatThrownBy(
            () -> connection.consumer(queue(), ConsumerSettings.of(its -> its.selector = "shape LIKE 'r%'"), new Deliveries()))
            .hasMessageContaining("STARTSWITH");
    }

    @Test
    void leavesTheHomeDirectoryAlone() throws Exception {
        send(connect().producer(queue(), plain(), new Sends()), new Sends(), 0, 1, "m");
        assertThat(Path.of(System.getProperty("user.home"), "logs", "rocketmqlogs")).doesNotExist();
        assertThat(Path.of(System.getProperty("user.home"), ".rocketmq_offsets")).doesNotExist();
    }
}
