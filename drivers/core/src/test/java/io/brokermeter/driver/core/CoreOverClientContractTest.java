package io.brokermeter.driver.core;

import static io.brokermeter.contract.BrokerTrait.LEAVES_A_SILENT_SERVER;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ClientRows;

/** Over Artemis' client, selected by a parameter. */
class CoreOverClientContractTest extends BrokerTest implements ClientRows {

    CoreOverClientContractTest() {
        super(CoreContractTest.artemis().parameter("transport", "client").without(LEAVES_A_SILENT_SERVER));
    }
}
