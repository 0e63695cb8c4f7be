package io.brokermeter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;

import io.brokermeter.contract.needs.Tested;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Producer;

/** One subject of the contract: a set of tests with a broker. Provides the methods that the tests share. */
public interface Subject extends Tested {

    /** Returns the resources of this test. */
    TestResources scene();

    @Override
    default BrokerUnderTest underTest() {
        return scene().broker();
    }

    default Driver driver() {
        return underTest().driver();
    }

    default Duration patience() {
        return underTest().patience();
    }

    /**
     * Returns the longest permitted time of operations whose limit the driver must enforce on its client. It is below the 60 s after which
     * many clients time out by themselves. A stall of the machine may exceed it, so a test tries once more before it fails.
     */
    default Duration bound() {
        var bound = Duration.ofSeconds(50);
        return bound.compareTo(patience()) < 0 ? bound : patience();
    }

    default ConnectionSettings settings() {
        return underTest().settings();
    }

    default ConnectionSettings settings(String host, int port) {
        return underTest().settings(host, port);
    }

    default Connection connect() throws Exception {
        return connect(settings());
    }

    default Connection connect(ConnectionSettings settings) throws Exception {
        return connect(settings, new ConnectionLog());
    }

    /** Opens a connection that is closed after the test. */
    default Connection connect(ConnectionSettings settings, ConnectionLog log) throws Exception {
        return scene().connect(settings, log);
    }

    /** Opens a proxy to the broker that is closed after the test. */
    default FaultProxy proxy() throws Exception {
        return scene().proxy();
    }

    /** Returns a new queue that is deleted after the test. */
    default Destination queue() {
        return scene().fresh(Destination.Kind.QUEUE);
    }

    /** Returns a new topic that is deleted after the test. */
    default Destination topic() {
        return scene().fresh(Destination.Kind.TOPIC);
    }

    default void declare(Destination destination) throws Exception {
        connect().declare(destination);
    }

    /** Sends a number of messages to a queue, from m0, and waits for their confirmations. */
    default void fill(Destination queue, int count) throws Exception {
        var sends = new Sends();
        TestMessages.send(connect().producer(queue, TestMessages.plain(), sends), sends, 0, count, "m");
        sends.awaitConfirmed(count);
    }

    /** Opens a consumer on the connection, and returns its deliveries. */
    default Deliveries receiving(Connection connection, Destination destination) throws Exception {
        var deliveries = new Deliveries();
        connection.consumer(destination, TestMessages.auto(), deliveries);
        return deliveries;
    }

    /** Receives a number of messages from a queue with a new consumer, and returns their texts. */
    default List<String> receive(Destination queue, int count) throws Exception {
        try (var connection = driver().connect(settings(), new ConnectionLog())) {
            var deliveries = receiving(connection, queue);
            deliveries.await(count);
            return deliveries.texts();
        }
    }

    /** Returns the messages of a queue, which a separate consumer receives from now on or when they are awaited, see {@link Inbox}. */
    default Inbox inbox(Destination queue) throws Exception {
        return new Inbox(this, queue);
    }

    /** Asserts that a queue is empty. */
    default void assertEmpty(Destination queue) throws Exception {
        var inbox = inbox(queue);
        var sends = new Sends();
        var producer = connect().producer(queue, TestMessages.plain(), sends);
        producer.send(TestMessages.payload("nothing before this"), 0);
        producer.flush();
        sends.awaitReported(1);
        assertThat(inbox.await(1).texts()).as("what comes first from a queue in which nothing else must be left")
            .containsExactly("nothing before this");
    }

    /**
     * Asserts that all messages of a consumer are acknowledged: none is left for other consumers or in the broker's count. Closes the
     * connection of the consumer.
     */
    default void assertAllAcknowledged(Connection connection, Destination queue) throws Exception {
        // A broker may deliver messages that were not acknowledged to others only when the connection ends.
        connection.close();
        if (offers(Capability.DEPTH) && has(BrokerTrait.QUEUES_KEEP_MESSAGES)) {
            var other = connect();
            Await.until(patience(), () -> TestMessages.depth(other, queue) == 0,
                () -> "the consumer is closed, and of 25 messages that it received "
                    + TestMessages.depth(other, queue) + " are not acknowledged");
        }
        assertEmpty(queue);
    }

    /** Asserts that exactly these messages arrived, in their order where the broker keeps it; the failure lists the differences. */
    default void assertReceived(Deliveries deliveries, List<String> expected) {
        assertReceived(deliveries, expected, has(BrokerTrait.ORDER));
    }

    /** Asserts that exactly these messages arrived, in this order if {@code ordered}, otherwise in any order. */
    default void assertReceived(Deliveries deliveries, List<String> expected, boolean ordered) {
        var difference = Difference.between(expected, deliveries.texts(), ordered);
        if (!difference.isEmpty()) {
            fail(difference);
        }
    }

    /**
     * Asserts that two consumers of a queue each receive a part of the messages. On a busy machine one of them may receive all messages of
     * a short run before the other one wakes up, so more messages are sent until both have received some.
     */
    default void assertShared(Producer producer, Sends sends, Deliveries one, Deliveries two) throws Exception {
        int sent = 0;
        do {
            TestMessages.send(producer, sends, sent, sent + 200, "m");
            sent += 200;
            Deliveries.await(sent, one, two);
        } while (has(BrokerTrait.SHARES_SHORT_RUNS) && (one.count() == 0 || two.count() == 0) && sent < 10_000);
        if (has(BrokerTrait.SHARES_SHORT_RUNS)) {
            assertThat(one.count()).isPositive();
            assertThat(two.count()).isPositive();
        }
        var all = new HashSet<>(one.texts());
        all.addAll(two.texts());
        assertThat(all).hasSize(sent);
    }

    default boolean has(BrokerTrait trait) {
        return underTest().has(trait);
    }

    default boolean offers(Capability capability) {
        return underTest().capabilities().contains(capability);
    }
}
