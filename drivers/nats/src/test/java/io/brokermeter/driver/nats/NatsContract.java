package io.brokermeter.driver.nats;

import static io.brokermeter.contract.Messages.auto;
import static io.brokermeter.contract.Messages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** What NATS must do with JetStream and without. */
abstract class NatsContract extends DriverContract {

    NatsContract(BrokerUnderTest broker) {
        super(broker);
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("NATS \\d+\\.\\d+.*");
    }

    @Test
    void sendsHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, new ProducerSettings(true, 0, null, false, false, false, 100,
            Map.of("colour", "red")), sends), sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        deliveries.await(5);
    }

    @Test
    void refusesNamesThatAreNoSubjects() {
        assertThatThrownBy(() -> driver().check(settings(), new Destination(Destination.Kind.QUEUE, "a.*.b")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a.*.b");
        driver().check(settings(), new Destination(Destination.Kind.QUEUE, "a.b-c_d"));
    }

    @Test
    void offersNoPersistenceFromMemory() {
        assertThat(driver().capabilities(new ConnectionSettings(settings().url(), null, null, null, Duration.ofSeconds(1),
            Map.of("storage", "memory"))))
            .doesNotContain(Capability.PERSISTENCE).contains(Capability.CONFIRMATIONS);
    }
}
