package io.brokermeter.driver.core;

import io.brokermeter.contract.DriverContract;

/** Without Artemis' client, selected by a parameter; without what that refuses. */
class CoreCodecContractTest extends DriverContract {

    CoreCodecContractTest() {
        super(CoreContractTest.oneBroker().parameter("transport", "codec"));
    }
}
