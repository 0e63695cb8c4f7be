package io.brokermeter.driver.mqtt;

import static io.brokermeter.contract.BrokerTrait.ORDER;

import io.brokermeter.contract.brokers.ThrowawayBroker;

class MqttArtemisContractTest extends MqttContract {

    MqttArtemisContractTest() {
        super(artemis("5"));
    }

    /** Artemis 2.55.0 does not always keep the order (ARTEMIS-6191). */
    static ThrowawayBroker artemis(String version) {
        return broker("artemis", version).with(options -> options.withPersistent(false)).without(ORDER);
    }
}
