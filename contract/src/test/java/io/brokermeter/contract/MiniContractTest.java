package io.brokermeter.contract;

/** The smallest driver that keeps the contract keeps it. */
class MiniContractTest extends DriverContract {

    private static final BrokerUnderTest BROKER = new MiniBrokerUnderTest(Fault.NONE);

    MiniContractTest() {
        super(BROKER);
    }
}
