package io.brokermeter.driver.kafka;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.subject.Acknowledging;
import io.brokermeter.contract.subject.Ending;
import io.brokermeter.contract.subject.Fates;
import io.brokermeter.contract.subject.MessageBodies;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;

/**
 * With Kafka's client for all operations; {@link KafkaContractTest} has the whole contract. Both connect, and send in transactions, by the
 * same code.
 */
class KafkaClientContractTest extends BrokerTest implements Sending, MessageBodies, Fates, Acknowledging, Settlements, Ending {

    KafkaClientContractTest() {
        super(KafkaBroker.CLIENT);
    }
}
