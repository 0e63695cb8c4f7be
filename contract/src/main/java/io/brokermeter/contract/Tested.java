package io.brokermeter.contract;

/** A class of tests with a broker. It has a constructor without parameters, by which {@link NeedsFilter} asks for the broker. */
public interface Tested {

    /** Returns the driver and the broker of all tests. */
    BrokerUnderTest underTest();
}
