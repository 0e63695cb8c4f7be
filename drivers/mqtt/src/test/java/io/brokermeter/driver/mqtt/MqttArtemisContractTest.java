package io.brokermeter.driver.mqtt;

import static io.brokermeter.contract.BrokerTrait.ORDER;

class MqttArtemisContractTest extends MqttContract {

    /** Artemis 2.55.0 does not always keep the order (ARTEMIS-6191). */
    MqttArtemisContractTest() {
        super(broker("artemis", "5").with(options -> options.withPersistent(false)).without(ORDER));
    }
}
