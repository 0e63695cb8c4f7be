package io.brokermeter.driver.amqp091;

class QpidContractTest extends QpidContract {

    QpidContractTest() {
        super("own");
    }
}
