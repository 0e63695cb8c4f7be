package io.brokermeter.driver.amqp;

/** The contract with qpid-jms for all operations, as selected by a parameter of the URL. */
class AmqpOverJmsContractTest extends AmqpContract {

    AmqpOverJmsContractTest() {
        super(AmqpBroker.artemis().query("transport=client"), "qpid-jms-client \\d+\\.\\d+.*");
    }
}
