package io.brokermeter.driver.amqp;

import io.brokermeter.contract.WholeContract;

class AmqpContractTest extends AmqpContract implements WholeContract {

    AmqpContractTest() {
        super(AmqpBroker.artemis(), "brokermeter's own AMQP 1.0 path \\(proton-j \\d+\\.\\d+.* codec\\)");
    }
}
