package io.brokermeter.contract;

/** Tests that the minimal driver without a fault fulfils the contract. */
class MiniContractTest extends DriverContract {

    private static final BrokerUnderTest BROKER = new MiniBrokerUnderTest(Fault.NONE);

    MiniContractTest() {
        super(BROKER);
    }
}
