package io.brokermeter.driver.loopback;

import java.nio.ByteBuffer;

import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/** A message in transit. It uses the sender's buffers while the sending thread delivers it; a message that is kept is a copy. */
final class LoopbackMessage {

    private static final int DEFAULT_PRIORITY = 4;

    private ByteBuffer body = ByteBuffer.allocate(0);
    private @Nullable ByteBuffer envelope;
    private MessageVariant variant = MessageVariant.PLAIN;
    private boolean redelivered;

    /** Sets this message to a payload, whose buffers it uses. */
    void show(Payload payload, MessageVariant what) {
        body = payload.buffer();
        variant = what;
        byte[] property = payload.envelope();
        if (property == null) {
            envelope = null;
        } else if (envelope == null || envelope.array() != property) {
            envelope = ByteBuffer.wrap(property);
        }
    }

    /** Returns a copy of this message with bytes of its own. */
    LoopbackMessage copy() {
        LoopbackMessage copy = new LoopbackMessage();
        copy.body = copy(body);
        copy.envelope = envelope == null ? null : copy(envelope);
        copy.variant = variant;
        copy.redelivered = redelivered;
        return copy;
    }

    private static ByteBuffer copy(ByteBuffer from) {
        byte[] bytes = new byte[from.remaining()];
        from.get(from.position(), bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** Delivers the message to a listener. Afterwards it can be delivered again, whatever the listener did with the buffers. */
    Settlement to(DeliveryListener listener) {
        int position = body.position();
        int limit = body.limit();
        try {
            ByteBuffer property = envelope;
            return property == null ? listener.delivered(body, redelivered)
                : listener.delivered(property.clear(), body, redelivered);
        } finally {
            body.limit(limit).position(position);
        }
    }

    /** Returns the size of the body in bytes. */
    int size() {
        return body.remaining();
    }

    @Nullable String group() {
        return variant.group();
    }

    /** Returns the priority, 0 to 9. */
    int priority() {
        return variant.priority() < 0 ? DEFAULT_PRIORITY : variant.priority();
    }

    void markRedelivered() {
        redelivered = true;
    }

    /** Inverts the last bit of the body, if there is one. Only for a copy. */
    void corrupt() {
        if (body.limit() > 0) {
            body.put(body.limit() - 1, (byte) (body.get(body.limit() - 1) ^ 1));
        }
    }

    /** Removes the last {@code bytes} bytes of the body, or all if it has fewer. Only for a copy. */
    void truncate(int bytes) {
        body.limit(Math.max(0, body.limit() - bytes));
    }
}
