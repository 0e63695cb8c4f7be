package io.brokermeter.driver.amqp;

import io.brokermeter.contract.tls.TlsContract;

/** With qpid-jms, which a parameter asks for. */
class AmqpOverJmsTlsContractTest extends TlsContract {

    AmqpOverJmsTlsContractTest() {
        super(AmqpBroker.artemis().parameter("transport", "client"));
    }
}
