package io.brokermeter.driver.amqp091;

class QpidClientContractTest extends QpidContract {

    QpidClientContractTest() {
        super("client");
    }
}
