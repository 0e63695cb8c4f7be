package io.brokermeter.driver.openwire;

import io.brokermeter.contract.tls.TlsContract;

class OpenWireTlsContractTest extends TlsContract {

    OpenWireTlsContractTest() {
        super(OpenWireContractTest.activeMq());
    }
}
