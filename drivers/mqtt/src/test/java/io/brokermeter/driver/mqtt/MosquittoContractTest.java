package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.brokers.Broker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MosquittoContractTest extends MqttContract {

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = start("mosquitto", true);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    Broker broker() {
        return broker;
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).isEqualTo(broker.name().toString().replace(':', ' '));
    }
}
