package io.brokermeter.contract;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The contract for a driver with the {@link #FAULT} of the thread; run only by {@link FaultyDriversTest}. */
class FaultyDriver extends DriverContract {

    static final ScopedValue<DriverFault> FAULT = ScopedValue.newInstance();

    private static final Map<DriverFault, BrokerUnderTest> BROKERS = new ConcurrentHashMap<>();

    FaultyDriver() {
        super(BROKERS.computeIfAbsent(FAULT.get(), MiniBrokerUnderTest::new));
    }
}
