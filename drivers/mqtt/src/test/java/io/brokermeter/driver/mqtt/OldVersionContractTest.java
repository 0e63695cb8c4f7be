package io.brokermeter.driver.mqtt;

import static io.brokermeter.contract.BrokerTrait.ORDER;

/** The contract with version 3.1.1 of the protocol. */
class OldVersionContractTest extends MqttContract {

    /** Artemis 2.55.0 does not always keep the order (ARTEMIS-6191). */
    OldVersionContractTest() {
        super(broker("artemis", "3.1.1").without(ORDER));
    }
}
