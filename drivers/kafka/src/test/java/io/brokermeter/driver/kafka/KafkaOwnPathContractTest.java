package io.brokermeter.driver.kafka;

import io.brokermeter.contract.DriverContract;

class KafkaOwnPathContractTest extends DriverContract {

    KafkaOwnPathContractTest() {
        super(KafkaBroker.OWN);
    }
}
