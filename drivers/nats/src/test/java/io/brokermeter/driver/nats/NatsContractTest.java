package io.brokermeter.driver.nats;

import io.brokermeter.contract.WholeContract;

/** The contract with JetStream. */
class NatsContractTest extends NatsContract implements WholeContract {

    NatsContractTest() {
        // Longer than a stall of the machine: otherwise messages that are not acknowledged during the stall would be delivered again.
        super(new NatsBroker().parameter("ack-wait", "25"));
    }
}
