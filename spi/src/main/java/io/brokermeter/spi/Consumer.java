package io.brokermeter.spi;

import java.time.Duration;

/** Receives messages from one destination and hands them to its {@link DeliveryListener}. */
public interface Consumer extends AutoCloseable {

    /**
     * Delivers messages on the calling thread, for clients without threads of their own ({@link #needsPolling()}): the messages that
     * the client holds or, when it holds none, those that it gets by asking the broker once. Returns as soon as something was
     * delivered, which may be one message or all messages of one answer, and at the latest a moment after {@code limit} when no
     * message came. A message is acknowledged after its delivery and not by being fetched. The engine calls this method from one
     * thread, again and again, until {@link #close()}, which another thread may call meanwhile; then this method returns without
     * delivering. After {@link Settlement#LEAVE} it delivers nothing, and returns after {@code limit}.
     *
     * @throws Exception when the consumer cannot go on
     */
    default void poll(Duration limit) throws Exception {}

    /** Returns whether the engine must call {@link #poll}. */
    default boolean needsPolling() {
        return false;
    }

    /**
     * Closes the consumer: acknowledges or commits the messages that were accepted and not yet acknowledged, and gives the others back to
     * the broker. Returns after the last callback. Never blocks for ever: see {@link Connection} for the limit.
     *
     * @throws Exception when the last acknowledgement or commit failed, or the broker did not answer, so that the outcome is unknown; a
     *     driver may report this by {@link DeliveryListener#failed} instead, and need not report it when the connection is lost
     */
    @Override
    void close() throws Exception;
}
