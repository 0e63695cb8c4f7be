package io.brokermeter.spi;

import java.time.Duration;

/** Receives messages from one destination and hands them to its {@link DeliveryListener}. */
public interface Consumer extends AutoCloseable {

    /**
     * Delivers on the calling thread, for clients without threads of their own ({@link #needsPolling()}): what the client holds,
     * or, when it holds nothing, what it gets by asking the broker once. It returns as soon as something was delivered, which may
     * be one message or as many as one answer brings, and at the latest a moment after {@code limit} when nothing came. A message
     * is acknowledged after its delivery and not by being fetched. The engine calls it from one thread, again and again, until
     * {@link #close()}, which another thread may call meanwhile; then it returns without delivering. After {@link
     * Settlement#LEAVE} it delivers nothing, and returns after {@code limit}.
     *
     * @throws Exception when the consumer cannot go on
     */
    default void poll(Duration limit) throws Exception {}

    /** Whether the engine must call {@link #poll}. */
    default boolean needsPolling() {
        return false;
    }

    /**
     * Acknowledges or commits what was accepted and not yet acknowledged, gives back the rest, and closes. Returns after the last
     * callback. Never blocks for ever: see {@link Connection} for the limit.
     *
     * @throws Exception when the last acknowledgement or commit failed, or the broker did not answer, so that the outcome is unknown; a
     *     driver may report it by {@link DeliveryListener#failed} instead, and need not report it when the connection is lost
     */
    @Override
    void close() throws Exception;
}
