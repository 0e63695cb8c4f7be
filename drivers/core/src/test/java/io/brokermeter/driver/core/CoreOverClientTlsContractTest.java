package io.brokermeter.driver.core;

import io.brokermeter.contract.tls.TlsContract;

/** Over Artemis' client, selected by a parameter. */
class CoreOverClientTlsContractTest extends TlsContract {

    CoreOverClientTlsContractTest() {
        super(CoreContractTest.artemis().parameter("transport", "client"));
    }
}
