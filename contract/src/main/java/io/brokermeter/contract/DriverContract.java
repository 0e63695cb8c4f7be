package io.brokermeter.contract;

/**
 * What every driver must do. A driver's test class extends this one and names its driver and its broker; what its protocol or
 * broker cannot do is left out with the reason.
 */
public abstract class DriverContract extends BrokerTest implements Sending, Limits, Bodies, Varying, Fates, Acknowledging, Settling,
        Transactions, Subscriptions, Declaring, Ending, Refusing, Reconnecting {

    protected DriverContract(BrokerUnderTest broker) {
        super(broker);
    }
}
