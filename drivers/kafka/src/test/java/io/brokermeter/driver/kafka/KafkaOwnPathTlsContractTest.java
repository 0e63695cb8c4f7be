package io.brokermeter.driver.kafka;

import io.brokermeter.contract.tls.TlsContract;

class KafkaOwnPathTlsContractTest extends TlsContract {

    KafkaOwnPathTlsContractTest() {
        super(KafkaBroker.OWN);
    }
}
