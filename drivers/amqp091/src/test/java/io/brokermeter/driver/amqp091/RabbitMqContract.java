package io.brokermeter.driver.amqp091;

import java.util.Optional;

import io.brokermeter.contract.Life;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.BeforeAll;

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
}
