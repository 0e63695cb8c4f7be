package io.brokermeter.driver.amqp.lean;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The reading side of a socket, cut into frames. Used by one thread at a time. */
final class Incoming {

    /** The largest frame that we allow the peer to send. */
    static final int MAX_FRAME = 128 * 1024;

    private static final int HEADER = 8;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocateDirect(2 * MAX_FRAME).limit(0);
    private final ByteBuffer view = in.duplicate();
    private int next;
    private int frameEnd;
    private int type;
    private int number;

    Incoming(SocketChannel channel) {
        this.channel = channel;
    }

    /** Blocks until at least one more byte has come. */
    void fill() throws IOException {
        in.position(next).compact();
        next = 0;
        int count = channel.read(in);
        in.flip();
        if (count < 0) {
            throw new EOFException("the broker closed the connection");
        }
    }

    /** Blocks until {@code count} bytes are there, and takes them away. */
    byte[] take(int count) throws IOException {
        while (in.limit() - next < count) {
            fill();
        }
        byte[] bytes = new byte[count];
        in.get(next, bytes);
        next += count;
        return bytes;
    }

    /** Blocks until a whole frame is there, and goes to it. */
    void awaitFrame() throws IOException {
        while (!nextFrame()) {
            fill();
        }
    }

    /** Goes to the next frame when all of it has come; the position of {@link #buffer()} is then at its body. */
    boolean nextFrame() throws IOException {
        int available = in.limit() - next;
        if (available < HEADER) {
            return false;
        }
        int size = in.getInt(next);
        int offset = (in.get(next + 4) & 0xff) * 4;
        if (size < HEADER || size > MAX_FRAME || offset < HEADER || offset > size) {
            throw new IOException("the broker sent something that is no AMQP frame (size " + size + ")");
        }
        if (available < size) {
            return false;
        }
        type = in.get(next + 5);
        number = in.getShort(next + 6) & 0xffff;
        in.position(next + offset);
        frameEnd = next + size;
        next = frameEnd;
        return true;
    }

    /** The buffer that holds the frame; absolute positions are valid until the next {@link #fill()}. */
    ByteBuffer buffer() {
        return in;
    }

    /** The position behind the frame. */
    int frameEnd() {
        return frameEnd;
    }

    /** 0 for AMQP frames, 1 for SASL frames. */
    int type() {
        return type;
    }

    /** The channel number of the frame. */
    int channel() {
        return number;
    }

    /** The bytes from {@code from} to {@code to} as a buffer; the same object at each call. */
    ByteBuffer view(int from, int to) {
        return view.clear().limit(to).position(from);
    }
}
