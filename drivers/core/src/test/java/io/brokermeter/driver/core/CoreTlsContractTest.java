package io.brokermeter.driver.core;

import io.brokermeter.contract.tls.TlsContract;

class CoreTlsContractTest extends TlsContract {

    CoreTlsContractTest() {
        super(CoreContractTest.artemis());
    }
}
