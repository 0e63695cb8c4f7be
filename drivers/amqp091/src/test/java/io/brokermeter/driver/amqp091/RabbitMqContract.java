package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import io.brokermeter.contract.Life;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

abstract class RabbitMqContract extends Amqp091Contract {

    @BeforeAll
    static void startBroker() throws Exception {
        SharedBroker.of("rabbitmq");
    }

    RabbitMqContract(String transport) {
        super("rabbitmq", transport);
    }

    /** A queue of 200 messages that refuses the next one. */
    @Override
    protected Optional<Destination> refusing() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("max-length", "200").withProperty("overflow", "reject-publish");
        try (var connection = driver().connect(settings, new Life())) {
            connection.declare(queue);
        }
        return Optional.of(queue);
    }

    /** Names that begin so are the broker's own. */
    @Override
    protected Optional<Destination> forbidden() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "amq.forbidden"));
    }

    @Test
    void saysWhatForcesTheStockClientAndWhichOneCarriesIt() throws Exception {
        var forced = new Life();
        var stock = connect(reconnecting("127.0.0.1", broker().port()).orElseThrow(), forced);
        assertThat(forced.notices()).singleElement().asString().contains("automatic-recovery", "RabbitMQ's Java client", "amqp-client");
        assertThat(stock.client()).startsWith("amqp-client ");
        var plain = new Life();
        var own = connect(new ConnectionSettings(settings().url(), SharedBroker.USER, SharedBroker.PASSWORD, null,
            Duration.ofSeconds(8)), plain);
        assertThat(plain.notices()).isEmpty();
        assertThat(own.client()).startsWith("brokermeter AMQP");
    }
}
