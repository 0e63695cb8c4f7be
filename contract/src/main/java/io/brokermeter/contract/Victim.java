package io.brokermeter.contract;

import io.brokermeter.spi.ConnectionSettings;

/** A broker that a test kills. */
public interface Victim extends AutoCloseable {

    ConnectionSettings settings();

    void kill();

    /** Starts it again where it was, with all it had stored; false when that cannot be done. */
    default boolean startAgain() throws Exception {
        return false;
    }

    /** Settings of a connection that reconnects by itself to the broker when it is started again. */
    default ConnectionSettings reconnecting() {
        return settings();
    }

    @Override
    void close();
}
