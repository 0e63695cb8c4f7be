package io.brokermeter.driver.core.direct;

/** Is notified how a connection ended; only the first call for a connection counts. Calls return at once. */
interface ConnectionEvents {

    /** The connection was closed, by this side, or by the broker when {@code failed}. */
    void destroyed(DirectConnection connection, boolean failed);

    /** Reading or writing failed. */
    void failed(DirectConnection connection, Throwable cause);
}
