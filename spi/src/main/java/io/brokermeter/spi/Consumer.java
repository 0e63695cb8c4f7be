package io.brokermeter.spi;

import java.time.Duration;

/** Receives messages from one destination and hands them to its {@link DeliveryListener}. */
public interface Consumer extends AutoCloseable {

    /**
     * For clients without threads of their own ({@link #needsPolling()}): delivers what arrives within {@code limit}.
     * The engine calls it from one thread, again and again.
     */
    default void poll(Duration limit) throws Exception {}

    /** Whether the engine must call {@link #poll}. */
    default boolean needsPolling() {
        return false;
    }

    /**
     * Acknowledges or commits what was delivered and not yet acknowledged, then closes. Returns after the last callback.
     * Never blocks for ever.
     */
    @Override
    void close() throws Exception;
}
