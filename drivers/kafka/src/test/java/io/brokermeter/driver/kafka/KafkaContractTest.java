package io.brokermeter.driver.kafka;

import io.brokermeter.contract.DriverContract;

class KafkaContractTest extends DriverContract {

    KafkaContractTest() {
        super(KafkaBroker.SHARED);
    }
}
