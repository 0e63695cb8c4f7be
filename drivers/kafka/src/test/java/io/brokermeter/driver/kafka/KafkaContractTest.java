package io.brokermeter.driver.kafka;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.subject.Acknowledging;
import io.brokermeter.contract.subject.Ending;
import io.brokermeter.contract.subject.Fates;
import io.brokermeter.contract.subject.MessageBodies;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;

/**
 * With the Kafka client for all operations; {@link KafkaOwnPathContractTest} has the whole contract. Both connect, and send in transactions,
 * by the same code.
 */
class KafkaContractTest extends BrokerTest implements Sending, MessageBodies, Fates, Acknowledging, Settlements, Ending {

    KafkaContractTest() {
        super(KafkaBroker.SHARED);
    }
}
