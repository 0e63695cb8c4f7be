package io.brokermeter.driver.amqp;

/** The same contract with qpid-jms for everything, which a parameter of the URL asks for. */
class AmqpOverJmsContractTest extends AmqpContract {

    AmqpOverJmsContractTest() {
        super(AmqpBroker.artemis().query("transport=client"), "qpid-jms-client \\d+\\.\\d+.*");
    }
}
