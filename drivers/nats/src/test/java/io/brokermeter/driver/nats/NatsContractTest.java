package io.brokermeter.driver.nats;

/** JetStream. */
class NatsContractTest extends NatsContract {

    NatsContractTest() {
        super(new NatsBroker().parameter("ack-wait", "10"));
    }
}
