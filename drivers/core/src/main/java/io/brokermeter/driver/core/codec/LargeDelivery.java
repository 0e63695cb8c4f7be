package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.ConsumerThread;
import org.jspecify.annotations.Nullable;

/** The large message that a consumer receives in pieces, one after another in the same room. Used by the reader thread. */
final class LargeDelivery {

    /** The room that is made for a first body at once, in bytes; it doubles as pieces come, up to the announced size. */
    private static final int TRUSTED = 1 << 20;
    /** The largest room that is kept for the next message, in bytes. */
    private static final int KEPT = 16 << 20;

    private long id;
    private long announced;
    private int proven = TRUSTED;
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
        this.announced = length;
        ByteBuffer room = body;
        int wanted = kept ? Math.clamp(length, 0, proven) : 0;
        body = room == null || room.capacity() < wanted ? ByteBuffer.allocate(wanted) : room.clear();
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
            int needed = Math.addExact(room.position(), piece.remaining());
            int more = Math.clamp(Math.min(2L * needed, announced), needed, Integer.MAX_VALUE);
            room = ByteBuffer.allocate(more).put(room.flip());
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
        proven = Math.max(proven, room.position());
        if (isTaken || room.capacity() > KEPT) {
            body = null;
        }
        return room.flip();
    }
}
