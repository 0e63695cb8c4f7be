package io.brokermeter.driver.kafka;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ClientRows;

/** With the Kafka client for all operations; {@link KafkaOwnPathContractTest} has the whole contract. */
class KafkaContractTest extends BrokerTest implements ClientRows {

    KafkaContractTest() {
        super(KafkaBroker.SHARED);
    }
}
