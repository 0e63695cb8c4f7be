package io.brokermeter.driver.amqp;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import jakarta.jms.JMSContext;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;

/** The contract of AMQP 1.0 over each of its transports. */
abstract class AmqpContract extends BrokerTest {

    private final ThrowawayBroker broker;
    private final String carrier;

    /**
     * Creates the contract for one transport.
     *
     * @param carrier a pattern of the client that a connection with default settings must report
     */
    AmqpContract(ThrowawayBroker broker, String carrier) {
        super(broker);
        this.broker = broker;
        this.carrier = carrier;
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        var connection = connect();
        connection.declare(queue());
        assertThat(connection.broker()).matches("apache-activemq-artemis \\d+\\.\\d+.*");
    }

    @Test
    void namesThePathThatReallyRuns() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(settings(), log);
        var queue = queue();
        connection.declare(queue);
        connection.producer(queue, plain(), new Sends());
        assertThat(connection.client()).matches(carrier);
        assertThat(log.notices()).isEmpty();
        connection.consumer(queue, consumer(AckMode.TRANSACTED, 1), new Deliveries());
        assertThat(connection.client()).matches(".*qpid-jms-client \\d+\\.\\d+.*");
        assertThat(log.notices()).hasSize(connection.client().startsWith("qpid") ? 0 : 1)
            .allMatch(notice -> notice.contains("qpid-jms-client") && notice.contains("transactions"));
    }

    @Test
    void saysWhatForcesTheClientLibrary() throws Exception {
        var log = new ConnectionLog();
        var settings = broker.withUrl("amqp://127.0.0.1:" + broker.port()).withClientId("me-" + getClass().getSimpleName());
        var connection = connect(settings, log);
        assertThat(connection.client()).matches("qpid-jms-client \\d+\\.\\d+.*");
        assertThat(log.notices()).hasSize(settings.url().contains("transport=") ? 0 : 1)
            .allMatch(notice -> notice.contains("qpid-jms-client") && notice.contains("because of a client id"));
        assertThatThrownBy(() -> driver().check(
            new ConnectionSettings("amqpws://127.0.0.1:1?transport=own", null, null, null, AmqpBroker.TIMEOUT)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("transport=own").hasMessageContaining("WebSockets");
    }

    @Test
    void flagsWhatAnotherConsumerGaveBack() throws Exception {
        var queue = queue();
        var connection = connect();
        fill(queue, 3);
        var factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port() + "?jms.connectTimeout=60000");
        try (var context = factory.createContext(ThrowawayBroker.USER, AmqpBroker.PASSWORD, JMSContext.SESSION_TRANSACTED);
                var consumer = context.createConsumer(context.createQueue(queue.name()))) {
            for (int i = 0; i < 3; i++) {
                assertThat(consumer.receive(60_000)).isNotNull();
            }
            context.rollback();
        }
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        deliveries.await(3);
        assertThat(deliveries.all()).allMatch(Deliveries.Delivery::redelivered);
    }

    @Test
    void endsTheSearchForABrokerWithTheConnectTimeout() throws Exception {
        int port = FreePorts.one();
        var settings = new ConnectionSettings("failover:(amqp://127.0.0.1:" + port + ")", null, null, null,
            Duration.ofSeconds(2));
        // a stall may use up the two seconds before the client has tried
        Retry.upToThree(() -> assertThatThrownBy(() -> connect(settings)).message().contains("Nobody listens"));
        Await.until(() -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("brokermeter connecting") && thread.getName().contains(":" + port)),
            () -> "the search goes on");
    }
}
