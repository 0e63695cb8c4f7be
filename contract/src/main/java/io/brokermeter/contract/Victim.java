package io.brokermeter.contract;

import io.brokermeter.spi.ConnectionSettings;

/** A broker that a test kills. */
public interface Victim extends AutoCloseable {

    ConnectionSettings settings();

    void kill();

    /** Starts the broker again at the same address, with everything that it had stored, which needs {@link BrokerTrait#STARTS_AGAIN}. */
    default void startAgain() throws Exception {
        throw new UnsupportedOperationException("This broker cannot be started again.");
    }

    /** Returns the settings of a connection that reconnects by itself when the broker is started again. */
    default ConnectionSettings reconnecting() throws Exception {
        return settings();
    }

    @Override
    void close();
}
