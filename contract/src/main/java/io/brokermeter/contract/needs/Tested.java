package io.brokermeter.contract.needs;

import io.brokermeter.contract.BrokerUnderTest;

/** A class of tests with a broker. It has a constructor without parameters, by which {@link NeedsFilter} asks for the broker. */
public interface Tested {

    /** Returns the driver and the broker of all tests. */
    BrokerUnderTest underTest();
}
