package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;

/**
 * One side's way to a broker.
 *
 * @param protocol the driver's name, in upper case
 * @param settings where and as whom to connect
 * @param roundTrip what a network that the run makes adds to a round trip; zero for none
 */
public record Endpoint(String protocol, ConnectionSettings settings, Duration roundTrip) {

    /** Without a network between. */
    public Endpoint(String protocol, ConnectionSettings settings) {
        this(protocol, settings, Duration.ZERO);
    }
}
