package io.brokermeter.spi;

/**
 * Receives the outcomes of sends. Any thread may call, but calls for one producer come one after another; each token is
 * reported exactly once, by one of the four methods.
 */
public interface SendListener {

    /** The listener that ignores all notifications. */
    SendListener NONE = new SendListener() {

        @Override
        public void confirmed(long token) {}

        @Override
        public void confirmedUpTo(long token) {}

        @Override
        public void failed(long token, Throwable cause) {}

        @Override
        public void unknown(long token, Throwable cause) {}
    };

    /** Called when the broker confirmed the message. */
    void confirmed(long token);

    /** Called when the broker confirmed every message up to and including this token that was not reported before. */
    void confirmedUpTo(long token);

    /**
     * Called when the broker refused the message, or when the client never gave it to the broker: it will not be delivered. The end of
     * a connection and the closing of a producer are no refusal of a message that was given to the broker.
     */
    void failed(long token, Throwable cause);

    /**
     * Called when the fate of the message is unknown: the connection ended or the producer was closed after the message had been,
     * or may have been, given to the broker, and before the broker answered. It may still be delivered.
     *
     * @param cause why the fate stays unknown
     */
    void unknown(long token, Throwable cause);
}
