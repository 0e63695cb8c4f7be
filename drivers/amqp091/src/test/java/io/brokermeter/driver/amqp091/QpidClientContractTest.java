package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.subject.Reconnecting;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;

/** What shows that the client and this broker, which the contract tests with others, get on with each other, and the end of the broker. */
class QpidClientContractTest extends BrokerTest implements Sending, Settlements, Reconnecting {

    QpidClientContractTest() {
        super(Amqp091Broker.qpid("client"));
    }
}
