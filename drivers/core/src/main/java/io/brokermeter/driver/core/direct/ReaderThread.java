package io.brokermeter.driver.core.direct;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.apache.activemq.artemis.core.buffers.impl.ChannelBufferWrapper;
import org.apache.activemq.artemis.core.protocol.core.impl.PacketImpl;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;

/**
 * The thread that reads one connection. Each system call reads all available bytes; they are split into frames, each a 4-byte length and as
 * many bytes, which are passed to the client on this thread. The output of the client meanwhile is written once, after the last frame.
 */
final class ReaderThread extends Thread {

    private static final int LENGTH_BYTES = 4;
    private static final int CHANNEL_OFFSET = LENGTH_BYTES + 1;
    /** The capacity of a connection that receives little, in bytes: there may be thousands. */
    private static final int INITIAL_BUFFER = 4 << 10;
    /** The capacity up to which the buffer grows as long as reads fill it, in bytes. */
    private static final int USUAL_BUFFER = 64 << 10;
    /**
     * Size limit of a frame in bytes. No broker sends larger frames, and the first words of other protocols announce more: {@code HTTP},
     * {@code SSH-}, a TLS alert.
     */
    private static final int LARGEST_FRAME = 256 << 20;
    /** Room in bytes that is made for a frame at once; more only after half of it has been received. */
    private static final int TRUSTED = 1 << 20;
    /** Size in bytes at which held acknowledgements are written even in the middle of a batch. */
    private static final int MAX_HELD = 16 << 10;

    private final DirectConnection connection;
    private final Wire wire;
    private final BufferHandler handler;
    private final DirectTransport transport;

    // used by this thread only
    private ByteBuffer bytes = ByteBuffer.allocateDirect(INITIAL_BUFFER);
    private ByteBuf view = Unpooled.wrappedBuffer(bytes.duplicate());
    private int start;
    private int held;
    private boolean inline;
    private boolean sawLargeMessage;
    private volatile boolean dispatching;

    ReaderThread(DirectConnection connection, Wire wire, BufferHandler handler, DirectTransport transport) {
        super("core-reader-" + connection.getRemoteAddress());
        setDaemon(true);
        this.connection = connection;
        this.wire = wire;
        this.handler = handler;
        this.transport = transport;
    }

    /** Returns whether the current frame may call listeners on this thread. Called by this thread only. */
    boolean mayRunInline() {
        return inline;
    }

    /** Counts bytes written by this thread; returns whether they may wait for the end of the batch. Called by this thread only. */
    boolean holdsBack(int length) {
        if (!dispatching) {
            return false;
        }
        held += length;
        return held < MAX_HELD;
    }

    /** Returns whether this thread is inside the client. */
    boolean isDispatching() {
        return dispatching;
    }

    @Override
    public void run() {
        try {
            while (connection.isOpen()) {
                if (wire.read(bytes) < 0) {
                    throw new EOFException();
                }
                boolean filled = !bytes.hasRemaining();
                dispatching = true;
                try {
                    if (dispatch()) {
                        handler.endOfBatch(connection.getID());
                    }
                } finally {
                    dispatching = false;
                }
                if (filled && bytes.capacity() < USUAL_BUFFER) {
                    replace(Math.min(2 * bytes.capacity(), USUAL_BUFFER), bytes.flip().position(start));
                }
                if (held > 0) {
                    held = 0;
                    connection.flushQuietly();
                }
            }
        } catch (EOFException e) {
            connection.ended();
        } catch (IOException | RuntimeException | Error e) {
            connection.failed(e);
        }
    }

    /** Passes all whole frames to the client; returns whether there were any. */
    private boolean dispatch() throws IOException {
        int end = bytes.position();
        boolean any = false;
        while (end - start >= LENGTH_BYTES && connection.isOpen()) {
            int length = bytes.getInt(start);
            if (length < 0 || length > LARGEST_FRAME) {
                throw new IOException(
                    "The broker sent a frame of impossible length " + length + ", so that port does not seem to speak CORE.");
            }
            int frame = length + LENGTH_BYTES;
            if (end - start < frame) {
                makeRoom(Math.min(frame, Math.max(TRUSTED, 2 * (end - start))));
                return any;
            }
            hand(frame);
            start += frame;
            any = true;
        }
        if (start == end) {
            bytes.clear();
            start = 0;
        } else {
            makeRoom(LENGTH_BYTES);
        }
        return any;
    }

    private void hand(int length) {
        inline = mayInline(length);
        try {
            // The client counts the four bytes of the length as part of the packet.
            var frame = view.slice(start, length).readerIndex(LENGTH_BYTES);
            handler.bufferReceived(connection.getID(), new ChannelBufferWrapper(frame, true));
        } finally {
            inline = false;
        }
    }

    private boolean mayInline(int length) {
        if (length < CHANNEL_OFFSET + Long.BYTES) {
            return false;
        }
        return switch (bytes.get(start + LENGTH_BYTES)) {
            case PacketImpl.SESS_RECEIVE_MSG ->
                !sawLargeMessage && transport.isInlineDelivery(bytes.getLong(start + CHANNEL_OFFSET));
            case PacketImpl.NULL_RESPONSE, PacketImpl.PACKETS_CONFIRMED -> transport.isInlineCompletion();
            case PacketImpl.SESS_RECEIVE_LARGE_MSG -> {
                // The message's listener waits for chunks that this thread must read, so from here on the pool delivers.
                sawLargeMessage = true;
                yield false;
            }
            default -> false;
        };
    }

    /** Makes room for a frame of {@code length} bytes that begins at {@code start}, by moving it or by growing the buffer. */
    private void makeRoom(int length) {
        int capacity = bytes.capacity();
        if (start + length <= capacity && capacity - bytes.position() >= capacity / 4) {
            return;
        }
        ByteBuffer rest = bytes.flip().position(start);
        start = 0;
        if (length <= capacity && (capacity <= USUAL_BUFFER || length > USUAL_BUFFER)) {
            bytes = rest.compact();
            return;
        }
        replace(Math.max(Math.min(capacity, USUAL_BUFFER), length), rest);
    }

    private void replace(int capacity, ByteBuffer rest) {
        start = 0;
        bytes = ByteBuffer.allocateDirect(capacity).put(rest);
        view = Unpooled.wrappedBuffer(bytes.duplicate().clear());
    }
}
