package io.brokermeter.driver.stomp;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RabbitMqContractTest extends StompContract {

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("rabbitmq"), BrokerOptions.defaults().withLogin(USER, PASSWORD));
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
        return "rabbitmq";
    }
}
