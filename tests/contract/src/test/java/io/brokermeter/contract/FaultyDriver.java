package io.brokermeter.contract;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The contract for a driver with a fault that a configuration parameter names; run only by {@link FaultyDriversTest}. */
@ExtendWith(FaultyDriver.Faults.class)
class FaultyDriver extends DriverContract {

    /** The name of the configuration parameter. */
    static final String FAULT = "fault";

    private static final Map<DriverFault, BrokerUnderTest> BROKERS = new ConcurrentHashMap<>();

    FaultyDriver(DriverFault fault) {
        super(BROKERS.computeIfAbsent(fault, MiniBrokerUnderTest::new));
    }

    static final class Faults implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == DriverFault.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getConfigurationParameter(FAULT, DriverFault::valueOf).orElseThrow();
        }
    }
}
