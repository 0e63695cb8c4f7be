package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/** A large message whose body comes in pieces. Used by the reader thread. */
final class LargeDelivery {

    /** The room that is made for a body at once, in bytes; it doubles as pieces come. */
    private static final int TRUSTED = 1 << 20;

    private final long id;
    private final boolean kept;
    private final boolean redelivered;
    private final boolean expired;
    private final @Nullable ByteBuffer envelope;
    private ByteBuffer body;

    /** @param kept whether the message is one whose body is wanted */
    LargeDelivery(long id, long length, boolean kept, boolean redelivered, boolean expired, @Nullable ByteBuffer envelope) {
        this.id = id;
        this.kept = kept;
        this.redelivered = redelivered;
        this.expired = expired;
        this.envelope = envelope;
        this.body = ByteBuffer.allocate(kept ? Math.clamp(length, 0, TRUSTED) : 0);
    }

    void add(ByteBuffer piece) {
        if (!kept) {
            return;
        }
        if (body.remaining() < piece.remaining()) {
            body = ByteBuffer.allocate(Math.addExact(2 * body.capacity(), piece.remaining())).put(body.flip());
        }
        body.put(piece);
    }

    long id() {
        return id;
    }

    boolean redelivered() {
        return redelivered;
    }

    boolean expired() {
        return expired;
    }

    @Nullable ByteBuffer envelope() {
        return envelope;
    }

    /** Returns the whole body, after its last piece. */
    ByteBuffer body() {
        return body.flip();
    }
}
