package io.brokermeter.driver.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The reading side of a connection. A protocol extends it by cutting what has come into frames. Used by one thread at a
 * time: the thread that connects, then the reader.
 */
public abstract class ReadBuffer {

    /** A rest of fewer bytes is always moved to the front, which makes room for a larger read. */
    private static final int MOVED = 16 * 1024;

    private final int largest;
    private ByteBuffer view;

    /** What has come, up to its limit; replaced when it grows, by {@link #fill} alone. */
    protected ByteBuffer in;

    /** Where in {@link #in} the next frame begins. */
    protected int start;

    /**
     * @param in an empty buffer, direct or not, to begin with
     * @param largest the most bytes that the buffer grows to; more than the largest frame
     */
    protected ReadBuffer(ByteBuffer in, int largest) {
        this.in = in.limit(0);
        this.view = in.duplicate();
        this.largest = largest;
    }

    /**
     * Goes to the next frame when all of it has come.
     *
     * @throws IOException when the bytes are no frame
     */
    public abstract boolean next() throws IOException;

    /** Blocks until at least one more byte has come. Positions of earlier frames are no longer valid. */
    public final void fill(Wire wire) throws IOException {
        int end = in.limit();
        int left = end - start;
        if (left == 0) {
            in.clear();
            start = 0;
        } else if (start > 0 && (left < MOVED || end > in.capacity() / 2)) {
            in.position(start).compact();
            start = 0;
        } else if (end == in.capacity()) {
            // when all of it is full, and not as soon as a length is announced
            grow();
        } else {
            in.limit(in.capacity()).position(end);
        }
        int count = wire.read(in);
        in.flip();
        if (count < 0) {
            throw new EOFException("the broker closed the connection");
        }
    }

    private void grow() throws IOException {
        if (in.capacity() >= largest) {
            throw new IOException("the broker sent a frame of more than " + largest + " bytes");
        }
        int capacity = (int) Math.min(2L * in.capacity(), largest);
        ByteBuffer more = in.isDirect() ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
        in = more.put(in.position(0));
        view = in.duplicate();
    }

    /** Blocks until a whole frame has come, and goes to it. */
    public final void await(Wire wire) throws IOException {
        while (!next()) {
            fill(wire);
        }
    }

    /** The buffer that holds the frame at hand. */
    public final ByteBuffer buffer() {
        return in;
    }

    /** The bytes from {@code from} to {@code to} as a buffer of its own; the same object at each call. */
    public final ByteBuffer view(int from, int to) {
        return view.clear().limit(to).position(from);
    }
}
