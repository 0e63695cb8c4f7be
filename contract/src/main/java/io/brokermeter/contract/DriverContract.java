package io.brokermeter.contract;

import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.subject.Acknowledging;
import io.brokermeter.contract.subject.BrokerLimits;
import io.brokermeter.contract.subject.Declaring;
import io.brokermeter.contract.subject.Ending;
import io.brokermeter.contract.subject.Fates;
import io.brokermeter.contract.subject.MessageBodies;
import io.brokermeter.contract.subject.Reconnecting;
import io.brokermeter.contract.subject.Refusing;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;
import io.brokermeter.contract.subject.SeveralServers;
import io.brokermeter.contract.subject.Subscriptions;
import io.brokermeter.contract.subject.Transactions;
import io.brokermeter.contract.subject.Varying;

/**
 * The contract of every driver. The test class of a driver extends this class and names its driver and its broker; there are no tests of
 * features that the protocol or the broker does not have ({@link Needs}).
 */
public abstract class DriverContract extends BrokerTest implements Sending, BrokerLimits, MessageBodies, Varying, Fates, Acknowledging,
        Settlements, Transactions, Subscriptions, Declaring, Ending, Refusing, Reconnecting, SeveralServers {

    protected DriverContract(BrokerUnderTest broker) {
        super(broker);
    }
}
