package io.brokermeter.driver.nats;

/** JetStream. */
class NatsContractTest extends NatsContract {

    NatsContractTest() {
        // Longer than a machine stands still: whatever waits for its acknowledgement then would come again.
        super(new NatsBroker().parameter("ack-wait", "20"));
    }
}
