package io.brokermeter.driver.core;

import io.brokermeter.contract.tls.TlsContract;

/** With the client's own transport, selected by a parameter. */
class CoreOverNettyTlsContractTest extends TlsContract {

    CoreOverNettyTlsContractTest() {
        super(CoreContractTest.artemis().parameter("transport", "client"));
    }
}
