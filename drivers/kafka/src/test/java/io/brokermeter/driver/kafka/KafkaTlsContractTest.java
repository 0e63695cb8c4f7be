package io.brokermeter.driver.kafka;

import io.brokermeter.contract.tls.TlsContract;

class KafkaTlsContractTest extends TlsContract {

    KafkaTlsContractTest() {
        super(KafkaBroker.SHARED);
    }
}
