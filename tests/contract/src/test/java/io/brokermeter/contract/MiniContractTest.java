package io.brokermeter.contract;

/** Tests that the minimal driver without a fault fulfils the contract. */
class MiniContractTest extends DriverContract {

    private static final BrokerUnderTest BROKER = new MiniBrokerUnderTest(DriverFault.NONE);

    MiniContractTest() {
        super(BROKER);
    }
}
