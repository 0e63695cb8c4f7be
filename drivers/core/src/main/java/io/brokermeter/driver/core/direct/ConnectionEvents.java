package io.brokermeter.driver.core.direct;

/** Receives the end of a connection; only the first call for a connection has an effect. Calls return at once. */
interface ConnectionEvents {

    /** Called when the connection was closed, by the broker if {@code failed}, otherwise by this side. */
    void destroyed(DirectConnection connection, boolean failed);

    /** Called when reading or writing failed. */
    void failed(DirectConnection connection, Throwable cause);
}
