package io.brokermeter.contract;

import java.time.Duration;

import io.brokermeter.spi.Driver;

/** The contract over a driver with a fault; run by {@link FaultyDriversTest} alone. */
class FaultyDriver extends MiniContractTest {

    static volatile Fault fault = Fault.NONE;

    @Override
    protected Driver driver() {
        return new MiniDriver(fault);
    }

    /** A fault is found where a good driver needs some milliseconds. */
    @Override
    protected Duration patience() {
        return Duration.ofSeconds(3);
    }
}
