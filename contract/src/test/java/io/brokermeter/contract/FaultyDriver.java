package io.brokermeter.contract;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;
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
        return Duration.ofSeconds(2);
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        var good = super.settings(host, port);
        return new ConnectionSettings(good.url(), good.user(), good.password(), good.clientId(), Duration.ofSeconds(2));
    }
}
