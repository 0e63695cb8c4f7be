package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.DriverContract;

class QpidClientContractTest extends DriverContract {

    QpidClientContractTest() {
        super(Amqp091Broker.qpid("client"));
    }
}
