package io.brokermeter.driver.amqp091;

import java.util.Optional;

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

    /** Names that begin so are the broker's own. */
    @Override
    protected Optional<Destination> forbidden() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "amq.forbidden"));
    }
}
