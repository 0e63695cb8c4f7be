package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.DriverContract;

class QpidContractTest extends DriverContract {

    QpidContractTest() {
        super(Amqp091Broker.qpid("own"));
    }
}
