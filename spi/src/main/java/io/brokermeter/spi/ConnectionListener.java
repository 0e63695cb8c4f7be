package io.brokermeter.spi;

/**
 * Receives the events of a connection after it was established. Any thread of the client library may call the methods;
 * implementations must not block.
 */
public interface ConnectionListener {

    /**
     * Called when the connection is lost for good; none of its producers and consumers will work again. Called once, within seconds
     * of the break, also when nothing is sent on the connection; not called for a connection that was closed by {@link
     * Connection#close()}. This call says nothing about single messages: every pending token is reported to its {@link SendListener}
     * before it, or at the latest when its producer is closed, as unknown unless the message was never given to the broker.
     */
    void lost(Throwable cause);

    /**
     * Called when the connection broke and the client tries to restore it by itself; most clients never do. Not called for the end of a
     * connection on which nothing was pending, as when a client or a broker closes what is idle, nor for an attempt that failed beside others.
     */
    default void interrupted(String cause) {}

    /** Called when the client restored the connection after {@link #interrupted}. */
    default void resumed() {}

    /** Called with a sentence that the user should read, for example on a setting that the driver chose. */
    default void notice(String sentence) {}
}
