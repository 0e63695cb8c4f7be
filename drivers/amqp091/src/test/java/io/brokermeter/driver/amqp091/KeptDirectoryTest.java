package io.brokermeter.driver.amqp091;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A throwaway RabbitMQ in the kept data directory of an earlier one. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 960, unit = TimeUnit.SECONDS)
class KeptDirectoryTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "Q");
    private static final ProducerSettings PERSISTENT = ProducerSettings.of(its -> {
        its.persistent = true;
        its.maxPending = 10;
    });

    @Test
    void hasItsMessagesOnOtherPorts() throws Exception {
        Path directory = BrokerOptions.newDirectory();
        var options = BrokerOptions.defaults().withDirectory(directory).withKeep(true).withStartLimit(Duration.ofSeconds(120));
        try {
            String first;
            try (var broker = Broker.start(BrokerName.parse("rabbitmq"), options); var connection = connect(broker)) {
                first = broker.url();
                connection.declare(QUEUE);
                var sends = new Sends();
                send(connection.producer(QUEUE, PERSISTENT, sends), sends, 0, 5, "m");
                sends.awaitConfirmed(5);
            }
            try (var broker = Broker.start(BrokerName.parse("rabbitmq"), options); var connection = connect(broker)) {
                assertThat(broker.url()).isNotEqualTo(first);
                var deliveries = new Deliveries();
                try (var _ = connection.consumer(QUEUE, auto(), deliveries)) {
                    deliveries.await(5);
                }
                assertThat(deliveries.texts()).containsExactly("m0", "m1", "m2", "m3", "m4");
            }
        } finally {
            DataDirectory.delete(directory);
        }
        assertThat(Files.exists(directory)).isFalse();
    }

    private static Connection connect(Broker broker) throws Exception {
        return new Amqp091Driver().connect(
            new ConnectionSettings(broker.url(), null, null, null, Duration.ofSeconds(60)), new ConnectionLog());
    }
}
