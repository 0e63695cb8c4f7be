package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.contract.brokers.ThrowawayBroker;
import org.junit.jupiter.api.Test;

class MosquittoContractTest extends MqttContract {

    private static final ThrowawayBroker BROKER = broker("mosquitto", "5");

    MosquittoContractTest() {
        super(BROKER);
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).isEqualTo(BROKER.broker().name().toString().replace(':', ' '));
    }
}
