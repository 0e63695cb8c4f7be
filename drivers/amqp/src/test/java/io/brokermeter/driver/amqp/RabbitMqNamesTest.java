package io.brokermeter.driver.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.driver.amqp.library.QpidConnection;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of queues that RabbitMQ would read as parts of a URL. */
@Tag("slow")
class RabbitMqNamesTest {

    private static final ThrowawayBroker BROKER = new ThrowawayBroker(new AmqpDriver(), "rabbitmq",
        "amqp://HOST:PORT?amqp.saslMechanisms=PLAIN").protocol("AMQP").login("sesame");

    @ParameterizedTest
    @ValueSource(strings = {"transport.tcpNoDelay=true", "transport.tcpNoDelay=false"})
    void areTheNamesOfTheQueues(String path) throws Exception {
        var settings = BROKER.settings();
        // With another value of this parameter the connection takes qpid-jms.
        settings = settings.withUrl(settings.url().replaceFirst("\\?.*", "?") + path);
        try (var sending = new AmqpDriver().connect(settings, new ConnectionLog());
                var receiving = new AmqpDriver().connect(settings, new ConnectionLog())) {
            for (String name : new String[] {"orders/eu/" + path, "50%25+x/" + path}) {
                var queue = new Destination(Destination.Kind.QUEUE, name);
                var sends = new Sends();
                var producer = sending.producer(queue, ProducerSettings.DEFAULT, sends);
                producer.send(new Payload(name.getBytes(StandardCharsets.UTF_8)), 0);
                producer.flush();
                sends.awaitConfirmed(1);
                var deliveries = new Deliveries();
                receiving.consumer(queue, ConsumerSettings.DEFAULT, deliveries);
                deliveries.await(1);
                assertThat(deliveries.texts()).containsExactly(name);
            }
        }
    }

    @Test
    void areEncodedForRabbitMqAlone() {
        assertThat(QpidConnection.address("RabbitMQ 3.10.8", "a/b+c%2Fd")).isEqualTo("a%2Fb%2Bc%252Fd");
        assertThat(QpidConnection.address("RabbitMQ 4.1.0", "/exchange/E/key")).isEqualTo("/exchange/E/key");
        assertThat(QpidConnection.address("apache-activemq-artemis 2.56.0", "a/b%")).isEqualTo("a/b%");
    }
}
