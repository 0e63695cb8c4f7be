package io.brokermeter.driver.amqp;

class AmqpContractTest extends AmqpContract {

    AmqpContractTest() {
        super(AmqpBroker.artemis(), "brokermeter's own AMQP 1.0 path \\(proton-j \\d+\\.\\d+.* codec\\)");
    }
}
