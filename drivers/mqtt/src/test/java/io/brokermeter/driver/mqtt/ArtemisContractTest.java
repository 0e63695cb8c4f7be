package io.brokermeter.driver.mqtt;

import io.brokermeter.brokers.Broker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ArtemisContractTest extends MqttContract {

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = start("artemis", false);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    Broker broker() {
        return broker;
    }

    /** Artemis 2.55.0 does not always (ARTEMIS-6191). */
    @Override
    protected boolean brokerKeepsOrder() {
        return false;
    }
}
