package io.brokermeter.spi;

/**
 * Is notified of what happens to a connection after it was made. Any thread of the client may call; implementations
 * must not block.
 */
public interface ConnectionListener {

    /**
     * The connection is gone for good; no producer or consumer of it will work again. Called once, within seconds of a broken
     * connection, also when nothing is sent on it; not called for a connection that its user closes. Before it, or at the latest
     * when its producer is closed, every pending token is reported, as unknown unless it was never given to the broker: this says
     * nothing of single messages.
     */
    void lost(Throwable cause);

    /** The connection broke and the client is trying to restore it by itself; most never do. */
    default void interrupted(String cause) {}

    /** The client restored the connection after {@link #interrupted}. */
    default void resumed() {}

    /** Something the user should read, for example a setting that the driver chose for them. */
    default void notice(String sentence) {}
}
