package io.brokermeter.driver.stomp;

/** A producer or consumer as the connection's reader sees it. */
interface Endpoint {

    /** Everything that one read brought was processed. Called by the reader, when it was asked to. */
    void endOfRead();

    /** The connection is gone. Any thread, at least once. */
    void ended(Throwable reason);
}
