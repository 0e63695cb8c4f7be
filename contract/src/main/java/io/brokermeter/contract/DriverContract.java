package io.brokermeter.contract;

/**
 * The contract of every driver. The test class of a driver extends this class and names its driver and its broker; there are no tests of
 * features that the protocol or the broker does not have ({@link Needs}).
 */
public abstract class DriverContract extends BrokerTest implements Sending, BrokerLimits, MessageBodies, Varying, Fates, Acknowledging,
        Settling, Transactions, Subscriptions, Declaring, Ending, Refusing, Reconnecting, SeveralServers {

    protected DriverContract(BrokerUnderTest broker) {
        super(broker);
    }
}
