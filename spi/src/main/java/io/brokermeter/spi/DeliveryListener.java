package io.brokermeter.spi;

import java.nio.ByteBuffer;

/** Receives deliveries; one thread at a time per consumer. */
public interface DeliveryListener {

    /**
     * A message arrived. Its return is the moment to settle it. It never throws.
     *
     * @param body the body between position and limit; valid during the call only. A message that has no byte body is
     *     delivered with an empty buffer.
     * @param redelivered whether the broker says that it delivered this message before
     * @return what to do with the message; always {@link Settlement#ACCEPT} or {@link Settlement#LEAVE} unless
     *     {@link ConsumerSettings#settles()}
     */
    Settlement delivered(ByteBuffer body, boolean redelivered);

    /**
     * A message arrived with the property {@link Payload#PROPERTY}. As the other method in everything else.
     *
     * @param envelope the property's bytes between position and limit; valid during the call only
     */
    default Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
        return delivered(body, redelivered);
    }

    /**
     * The consumer cannot go on, or an acknowledgement or commit failed, or the broker did not answer it. What a lost connection
     * leaves unacknowledged is reported by {@link ConnectionListener#lost} alone. May be called more than once.
     */
    void failed(Throwable cause);
}
