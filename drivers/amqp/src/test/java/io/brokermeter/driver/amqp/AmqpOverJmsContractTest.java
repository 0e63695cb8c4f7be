package io.brokermeter.driver.amqp;

import io.brokermeter.contract.ClientRows;

/** With qpid-jms for all operations, as selected by a parameter of the URL. */
class AmqpOverJmsContractTest extends AmqpContract implements ClientRows {

    AmqpOverJmsContractTest() {
        super(AmqpBroker.artemis().query("transport=client"), "qpid-jms-client \\d+\\.\\d+.*");
    }
}
