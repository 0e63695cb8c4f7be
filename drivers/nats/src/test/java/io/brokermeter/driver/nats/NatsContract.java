package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.contract.BrokerRows;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;

/** The contract of NATS, with and without JetStream. */
abstract class NatsContract extends BrokerTest implements BrokerRows {

    NatsContract(BrokerUnderTest broker) {
        super(broker);
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("NATS \\d+\\.\\d+.*");
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
