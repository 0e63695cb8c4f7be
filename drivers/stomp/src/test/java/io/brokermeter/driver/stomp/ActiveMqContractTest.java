package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DriverException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ActiveMqContractTest extends StompContract {

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("activemq"),
            BrokerOptions.defaults().withHeap("300m").withLogin(USER, PASSWORD));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    Broker broker() {
        return broker;
    }

    @Override
    String dialect() {
        return "activemq";
    }

    @Test
    void refusesSharedSubscriptions() throws Exception {
        assertThatThrownBy(() -> connect().consumer(topic(),
            new ConsumerSettings(AckMode.AUTO, 1, "shared", false, true, -1, false), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("--shared");
    }
}
