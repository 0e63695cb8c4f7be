package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DriverException;
import org.junit.jupiter.api.Test;

class ActiveMqContractTest extends StompContract {

    ActiveMqContractTest() {
        super(broker("activemq"));
    }

    @Test
    void refusesSharedSubscriptions() throws Exception {
        assertThatThrownBy(() -> connect().consumer(topic(),
            ConsumerSettings.of(its -> { its.subscription = "shared"; its.shared = true; }), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumers.shared");
    }
}
