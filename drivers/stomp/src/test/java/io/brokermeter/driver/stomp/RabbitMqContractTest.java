package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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

    @Test
    void givesAShareBackAndReceivesItAgain() throws Exception {
        var queue = queue();
        var connection = connect(with("requeue-share", "0.5"));
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 100, "m");
        Await.until(
            () -> deliveries.count() > 110 && new HashSet<>(deliveries.texts()).size() == 100,
            () -> deliveries.count() + " deliveries");
        assertThat(deliveries.all()).anyMatch(Deliveries.Delivery::redelivered);
    }
}
