package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.Test;

/** The contract of AMQP 0-9-1 with RabbitMQ, over each of its transports. */
abstract class RabbitMqContract extends BrokerTest {

    private final ThrowawayBroker broker;

    RabbitMqContract(String transport) {
        this(Amqp091Broker.rabbitMq(transport));
    }

    private RabbitMqContract(ThrowawayBroker broker) {
        super(broker);
        this.broker = broker;
    }

    @Test
    void saysWhatForcesTheStockClientAndWhichOneCarriesIt() throws Exception {
        var forced = new ConnectionLog();
        var stock = connect(underTest().reconnecting("127.0.0.1", broker.port()).orElseThrow().call(), forced);
        assertThat(forced.notices()).singleElement().asString().contains("automatic-recovery", "amqp-client");
        assertThat(stock.client()).startsWith("amqp-client ");
        var plain = new ConnectionLog();
        var own = connect(new ConnectionSettings(settings().url(), Amqp091Broker.USER, Amqp091Broker.PASSWORD, null,
            Duration.ofSeconds(30)), plain);
        assertThat(plain.notices()).isEmpty();
        assertThat(own.client()).startsWith("brokermeter AMQP");
    }
}
