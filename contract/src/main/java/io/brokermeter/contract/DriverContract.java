package io.brokermeter.contract;

import io.brokermeter.contract.needs.Needs;

/**
 * The contract of every driver. The test class of a driver extends this class and names its driver and its broker; there are no tests of
 * features that the protocol or the broker does not have ({@link Needs}). With a second broker, or over a second client, a test class
 * extends {@link BrokerTest} and implements {@link BrokerRows} or {@link ClientRows}.
 */
public abstract class DriverContract extends BrokerTest implements WholeContract {

    protected DriverContract(BrokerUnderTest broker) {
        super(broker);
    }
}
