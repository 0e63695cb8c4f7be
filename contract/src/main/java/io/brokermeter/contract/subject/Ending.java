package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.unlimited;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the regular end of producers, consumers and connections. */
public interface Ending extends Subject {

    @Test
    default void closeReturnsAfterEveryCallback() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, unlimited(), sends);
        sendMany(producer);
        producer.close();
        sends.closed();
        consumer.close();
        deliveries.closed();
        assertThat(sends.reported()).isEqualTo(1000);
        othersGetTheRest(queue, sends, deliveries);
    }

    /** Sends 1,000 messages without waiting for confirmations. */
    private static void sendMany(Producer producer) throws Exception {
        for (int i = 0; i < 1000; i++) {
            producer.send(payload("m" + i), i);
        }
    }

    /** Asserts that another consumer receives the confirmed messages that were not delivered, and that no callback came after close. */
    private void othersGetTheRest(Destination queue, Sends sends, Deliveries deliveries) throws Exception {
        if (has(QUEUES_KEEP_MESSAGES)) {
            var other = new Deliveries();
            var rest = connect().consumer(queue, auto(), other);
            Deliveries.await(sends.confirmed(), deliveries, other);
            rest.close();
        }
        assertThat(sends.violations()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
    }

    /** Closes only the connection, without closing producer and consumer before. */
    @Test
    default void closingTheConnectionEndsWhatWasMadeFromIt() throws Exception {
        var queue = queue();
        declare(queue);
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, unlimited(), sends);
        sendMany(producer);
        connection.close();
        sends.closed();
        deliveries.closed();
        assertThat(sends.reported()).as("sends that are reported when the connection's close has returned").isEqualTo(1000);
        othersGetTheRest(queue, sends, deliveries);
    }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void closesInBoundedTimeWhenTheBrokerStoppedAnswering() throws Exception {
        var taken = timeToClose();
        if (taken.compareTo(bound()) >= 0) {
            taken = timeToClose();
        }
        assertThat(taken).isLessThan(bound());
    }

    /** Measures the time to close six producers, a consumer and their connection from when the broker stopped answering. */
    private Duration timeToClose() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(proxy.host(), proxy.port()));
        var sends = new Sends();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < 5; i++) {
            producers.add(connection.producer(queue, plain(), new Sends()));
        }
        var producer = connection.producer(queue, plain(), sends);
        connection.consumer(queue, consumer(AckMode.AUTO, 1), new Deliveries());
        proxy.hold();
        producer.send(payload("lost"), 0);
        producer.flush();
        long start = System.nanoTime();
        producer.close();
        sends.closed();
        producers.forEach(Producer::close);
        connection.close();
        var taken = Duration.ofNanos(System.nanoTime() - start);
        if (offers(Capability.CONFIRMATIONS)) {
            assertThat(sends.unknown()).hasSize(1);
        }
        proxy.release();
        assertThat(sends.violations()).isEmpty();
        return taken;
    }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void namesTheClientThatCarriesIt() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        connection.producer(queue, plain(), new Sends());
        connection.consumer(queue, auto(), new Deliveries());
        var client = connection.client().isEmpty() ? driver().client() : connection.client();
        assertThat(client).as("name and version of the client of this connection").matches(".*\\w.* .*\\d+\\.\\d+.*")
            .doesNotContain("the rest", "plain runs");
    }

    @Test
    default void aRegularCloseIsNoLoss() throws Exception {
        var queue = queue();
        declare(queue);
        var log = new ConnectionLog();
        for (boolean inOrder : new boolean[] {true, false}) {
            var connection = connect(settings(), log);
            var deliveries = new Deliveries();
            var consumer = connection.consumer(queue, auto(), deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 10, "m");
            deliveries.await(10);
            sends.awaitConfirmed(10);
            if (inOrder) {
                producer.close();
                consumer.close();
            }
            connection.close();
            assertThat(deliveries.failures()).as("failures of a consumer that was closed").isEmpty();
        }
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> !log.losses().isEmpty()))
            .as("whether the end of a connection that we closed was told as its loss: " + log.losses()).isFalse();
        assertThat(log.interruptions()).isZero();
    }

    @Test
    default void leavesNoThreadAndNoConnectionBehind() throws Exception {
        var proxy = underTest().address().isPresent() ? proxy() : null;
        // Threads inherit their thread group, which distinguishes the threads of this test from those of tests that run concurrently.
        var group = new ThreadGroup("contract");
        var use = new FutureTask<@Nullable Void>(() -> {
            useOnce(proxy == null ? settings() : settings(proxy.host(), proxy.port()));
            return null;
        });
        new Thread(group, use).start();
        use.get();
        if (proxy != null) {
            Await.until(() -> proxy.connections() == 0, () -> proxy.connections() + " connections are open");
        }
        Await.until(() -> threads(group).isEmpty(), () -> "threads are left: " + threads(group));
    }

    private void useOnce(ConnectionSettings settings) throws Exception {
        var queue = queue();
        var connection = connect(settings);
        connection.declare(queue);
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 100, "m");
        deliveries.await(100);
        connection.close();
    }

    private static List<Thread> threads(ThreadGroup group) {
        var threads = new Thread[1000];
        return List.of(Arrays.copyOf(threads, group.enumerate(threads)));
    }
}
