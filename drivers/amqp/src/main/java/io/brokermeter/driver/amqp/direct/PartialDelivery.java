package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;

/** A delivery that arrives in several transfer frames. Used by the reader thread. */
final class PartialDelivery {

    private ByteBuffer parts = ByteBuffer.allocate(0);
    private int id;
    private boolean settled;

    /** Begins with the first frame, which has the id of the delivery. */
    void begin(int deliveryId) {
        id = deliveryId;
        settled = false;
        parts.clear();
    }

    /** Adds the payload of a frame. */
    void add(boolean isSettled, ByteBuffer payload) {
        settled |= isSettled;
        if (parts.remaining() < payload.remaining()) {
            parts = ByteBuffer.allocate(Math.max(parts.capacity() * 2, parts.position() + payload.remaining())).put(parts.flip());
        }
        parts.put(payload);
    }

    int id() {
        return id;
    }

    /** Returns whether the sender has settled the delivery. */
    boolean isSettled() {
        return settled;
    }

    /** Returns the payload of all frames; valid until the next delivery begins. */
    ByteBuffer payload() {
        return parts.flip().slice();
    }
}
