package io.brokermeter.engine.scenario;

import io.brokermeter.spi.ConnectionSettings;

/**
 * One side's way to a broker.
 *
 * @param protocol the driver's name, in upper case
 * @param settings where and as whom to connect
 */
public record Endpoint(String protocol, ConnectionSettings settings) {}
