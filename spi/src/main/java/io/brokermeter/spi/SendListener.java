package io.brokermeter.spi;

/**
 * Hears the fate of sends. Any thread may call, but calls for one producer come one after another; each token is
 * reported exactly once, by one of the four methods.
 */
public interface SendListener {

    /** Hears of sends and does nothing. */
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

    /** The broker has the message. */
    void confirmed(long token);

    /** The broker has every message up to and including this token that was not reported before. */
    void confirmedUpTo(long token);

    /**
     * The broker refused the message, or the client never gave it to the broker: it will not be delivered. A connection that
     * ended and a producer that was closed are no refusal.
     */
    void failed(long token, Throwable cause);

    /**
     * The fate of the message is unknown: the connection ended or the producer was closed after the message had been,
     * or may have been, given to the broker, and before the broker said anything. It may still be delivered.
     *
     * @param cause why its fate stays unknown
     */
    void unknown(long token, Throwable cause);
}
