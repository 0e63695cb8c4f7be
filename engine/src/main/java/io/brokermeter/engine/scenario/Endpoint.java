package io.brokermeter.engine.scenario;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;

/**
 * The access of a group to a broker.
 *
 * @param protocol name of the driver, in upper case
 * @param settings where and as whom to connect
 * @param roundTrip time that a network which the run makes adds to a round trip; zero for none
 */
public record Endpoint(String protocol, ConnectionSettings settings, Duration roundTrip) {

    /** Creates an endpoint without a network that the run makes. */
    public Endpoint(String protocol, ConnectionSettings settings) {
        this(protocol, settings, Duration.ZERO);
    }
}
