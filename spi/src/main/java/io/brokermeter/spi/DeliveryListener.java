package io.brokermeter.spi;

import java.nio.ByteBuffer;

/** Hears deliveries; one thread at a time per consumer. */
public interface DeliveryListener {

    /**
     * A message arrived. Its return is the moment to acknowledge. It never throws.
     *
     * @param body the body between position and limit; valid during the call only. A message that has no byte body is
     *     delivered with an empty buffer.
     * @param redelivered whether the broker says that it delivered this message before
     */
    void delivered(ByteBuffer body, boolean redelivered);

    /** The consumer cannot go on, or an acknowledgement or commit failed. */
    void failed(Throwable cause);
}
