package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.BrokerRows;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.subject.Reconnecting;

/** Its broker is killed also in place of a RabbitMQ, which takes long to start. */
class QpidContractTest extends BrokerTest implements BrokerRows, Reconnecting {

    QpidContractTest() {
        super(Amqp091Broker.qpid("own"));
    }
}
