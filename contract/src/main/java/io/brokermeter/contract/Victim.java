package io.brokermeter.contract;

import io.brokermeter.spi.ConnectionSettings;

/** A broker that a test kills. */
public interface Victim extends AutoCloseable {

    ConnectionSettings settings();

    void kill();

    /** Starts the broker again at the same address, with everything that it had stored; returns false if that is not possible. */
    default boolean startAgain() throws Exception {
        return false;
    }

    /** Returns the settings of a connection that reconnects by itself when the broker is started again. */
    default ConnectionSettings reconnecting() {
        return settings();
    }

    @Override
    void close();
}
