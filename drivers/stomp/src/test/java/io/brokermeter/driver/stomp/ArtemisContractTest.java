package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.Messages.auto;
import static io.brokermeter.contract.Messages.consumer;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DriverException;
import org.junit.jupiter.api.Test;

class ArtemisContractTest extends StompContract {

    ArtemisContractTest() {
        super(artemis());
    }

    static ThrowawayBroker artemis() {
        return broker("artemis").forbidding("forbidden").killing("artemis").refusedTls("stomp+ssl://HOST:PORT");
    }

    @Test
    void refusesWhatArtemisCannotDoOverStomp() throws Exception {
        var queue = queue();
        assertThatThrownBy(() -> connect().consumer(queue, consumer(AckMode.TRANSACTED, 10), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumers.ackMode");
        assertThatThrownBy(() -> connect().consumer(queue,
            ConsumerSettings.of(its -> its.prefetch = 50), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumer-window-size");
    }
}
