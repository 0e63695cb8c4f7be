package io.brokermeter.driver.stomp;

import io.brokermeter.contract.tls.TlsContract;

class StompTlsContractTest extends TlsContract {

    StompTlsContractTest() {
        super(ArtemisContractTest.artemis());
    }
}
