package io.brokermeter.spi;

/**
 * Hears the fate of sends. Any thread may call, but calls for one producer come one after another; each token is
 * reported exactly once, by one of the three methods.
 */
public interface SendListener {

    /** The broker has the message. */
    void confirmed(long token);

    /** The broker has every message up to and including this token that was not reported before. */
    void confirmedUpTo(long token);

    /** The broker refused the message, or the client gave it up. */
    void failed(long token, Throwable cause);
}
