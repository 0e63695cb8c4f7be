package io.brokermeter.driver.amqp;

import io.brokermeter.contract.tls.TlsContract;

/** The TLS contract with qpid-jms, as selected by a parameter. */
class AmqpOverJmsTlsContractTest extends TlsContract {

    AmqpOverJmsTlsContractTest() {
        super(AmqpBroker.artemis().parameter("transport", "client"));
    }
}
