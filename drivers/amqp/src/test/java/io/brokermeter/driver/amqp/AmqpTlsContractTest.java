package io.brokermeter.driver.amqp;

import io.brokermeter.contract.tls.TlsContract;

class AmqpTlsContractTest extends TlsContract {

    AmqpTlsContractTest() {
        super(AmqpBroker.artemis());
    }
}
