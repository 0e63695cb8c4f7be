package io.brokermeter.spi;

/**
 * Sends messages to one destination. Used by one thread at a time, and always the same one between {@link #send} calls
 * of one run; {@link #close()} may come from another thread once sending has ended.
 */
public interface Producer extends AutoCloseable {

    /**
     * Hands one message to the client. Returns without waiting for the broker's confirmation wherever the client can; it
     * may block for flow control, and its duration is measured. The payload belongs to the caller again when this method returns.
     *
     * <p>When it returns normally, {@code token} will be reported to the {@link SendListener} exactly once, whatever a later
     * {@link #flush} throws. When it throws, the message was not sent and the token will not be reported. A client that waits for
     * the broker within this method and gets no answer returns normally and reports the token as unknown.
     *
     * @param token number of the send, one more than that of this producer's previous send; the first is not 0 for a producer that
     *     replaces one whose connection was lost
     */
    void send(Payload payload, long token) throws Exception;

    /**
     * Writes the messages that were held back to coalesce their writes; called when no further message is due now. Does not wait for the
     * broker. When it throws, the connection is broken; the outcome of each message is still reported by the {@link SendListener} alone,
     * so a caller that counts must not count a failed flush as a failed send.
     */
    default void flush() throws Exception {}

    /**
     * Commits the current transaction; only for {@link ProducerSettings#transacted()} producers. When it returns, every
     * token sent so far has been reported as confirmed. When it throws, each token of the transaction has been reported, and
     * the next transaction can begin: as failed when the broker refused the commit or was not asked for it, so that none of the
     * transaction's messages will be delivered, and as unknown when the broker was asked and its answer did not come.
     */
    default void commit() throws Exception {
        throw new UnsupportedOperationException("This producer has no transactions.");
    }

    /**
     * Rolls the current transaction back; only for {@link ProducerSettings#transacted()} producers with
     * {@link Capability#ROLLBACK}. When it returns, none of the transaction's messages will be delivered, its tokens are forgotten and
     * will never be reported, and the next transaction can begin. When it throws, the fate of the messages is unknown.
     */
    default void rollback() throws Exception {
        throw new UnsupportedOperationException("This producer cannot roll back.");
    }

    /**
     * Returns why sends or confirmations may be stalled, as far as the client knows ("link credit 0"), or an
     * empty text. Any thread may call it.
     */
    default String stallReason() {
        return "";
    }

    /**
     * Closes the producer: writes the messages that were held back, commits an open transaction, and gives the broker some time to
     * confirm pending messages. A message that it has not confirmed then is reported as unknown, or as failed when it was never given to
     * the broker. Returns after the last call to the listener. Never blocks for ever: see {@link Connection} for the limit.
     */
    @Override
    void close();
}
