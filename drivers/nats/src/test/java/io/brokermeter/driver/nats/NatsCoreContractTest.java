package io.brokermeter.driver.nats;

import static io.brokermeter.contract.BrokerTrait.KEEPS_UNTIL_ACKNOWLEDGED;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;

/** The contract with core NATS, which stores no messages. */
class NatsCoreContractTest extends NatsContract {

    NatsCoreContractTest() {
        super(new NatsBroker().parameter("mode", "core")
            .without(QUEUES_KEEP_MESSAGES, KEEPS_UNTIL_ACKNOWLEDGED));
    }
}
