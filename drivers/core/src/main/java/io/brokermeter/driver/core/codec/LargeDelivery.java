package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.ConsumerThread;
import org.jspecify.annotations.Nullable;

/** The large message that a consumer receives in pieces, one after another in the same room. Used by the reader thread. */
final class LargeDelivery {

    /** The room that is made for a body at once, in bytes, before a consumer has had a larger one; it doubles as pieces come. */
    private static final int TRUSTED = 1 << 20;
    /** The largest room that is kept for the next message, in bytes. */
    private static final int KEPT = 16 << 20;

    private long id;
    private boolean kept;
    private boolean redelivered;
    private boolean expired;
    private @Nullable ByteBuffer envelope;
    private @Nullable ByteBuffer body;
    private boolean open;

    /**
     * Begins a message.
     *
     * @param headers the message without its body
     * @param length the announced size of its body in bytes
     */
    void begin(IncomingCoreMessage headers, long length, boolean redelivered) {
        this.id = headers.id();
        this.kept = headers.hasBody();
        this.redelivered = redelivered;
        this.expired = headers.isExpired();
        this.envelope = ConsumerThread.copyOf(headers.envelope());
        ByteBuffer room = body;
        body = room == null ? ByteBuffer.allocate(kept ? Math.clamp(length, 0, TRUSTED) : 0) : room.clear();
        open = true;
    }

    /** Returns whether a message has begun whose last piece has not come. */
    boolean isOpen() {
        return open;
    }

    void add(ByteBuffer piece) {
        ByteBuffer room = body;
        if (!kept || room == null) {
            return;
        }
        if (room.remaining() < piece.remaining()) {
            room = ByteBuffer.allocate(Math.addExact(2 * room.capacity(), piece.remaining())).put(room.flip());
            body = room;
        }
        room.put(piece);
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

    /**
     * Ends the message after its last piece and returns its whole body.
     *
     * @param isTaken whether the caller keeps the body; otherwise the next message may overwrite it
     */
    ByteBuffer end(boolean isTaken) {
        open = false;
        ByteBuffer room = body;
        if (room == null) {
            throw new IllegalStateException("no message has begun");
        }
        if (isTaken || room.capacity() > KEPT) {
            body = null;
        }
        return room.flip();
    }
}
