package io.brokermeter.spi;

import java.nio.ByteBuffer;

/** Receives the messages of a consumer; called by one thread at a time per consumer. */
public interface DeliveryListener {

    /**
     * Called when a message arrived. The driver settles the message when this method returns. It never throws.
     *
     * @param body the body between position and limit; valid during the call only. A message that has no byte body is
     *     delivered with an empty buffer.
     * @param redelivered whether the broker says that it delivered this message before
     * @return what to do with the message; always {@link Settlement#ACCEPT} or {@link Settlement#LEAVE} unless
     *     {@link ConsumerSettings#settles()}
     */
    Settlement delivered(ByteBuffer body, boolean redelivered);

    /**
     * Called in place of {@link #delivered(ByteBuffer, boolean)} when a message arrived with the property {@link Payload#PROPERTY}.
     *
     * @param envelope the property's bytes between position and limit; valid during the call only
     */
    default Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        return delivered(body, redelivered);
    }

    /**
     * Called when the consumer cannot go on, when an acknowledgement or commit failed, or when the broker did not answer it. Messages
     * that a lost connection leaves unacknowledged are reported by {@link ConnectionListener#lost} alone. May be called more than once.
     */
    void failed(Throwable cause);
}
