package io.brokermeter.driver.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The reading side of a connection. Subclasses split the received bytes into the frames of a protocol. Used by one thread at a time: first
 * the connecting thread, then the reader thread.
 */
public abstract class ReadBuffer {

    /** Remainders of fewer bytes than this are always moved to the front, which makes room for a larger read. */
    private static final int MOVED = 16 * 1024;
    /** The fewest bytes of a frame that is read alone, so that none of the next one is left behind it and must be moved to the front. */
    private static final int LARGE = 256 * 1024;
    /** The capacity of a connection that receives little, in bytes: there may be thousands. */
    private static final int INITIAL = 512;

    private final int usual;
    private final int largest;
    private ByteBuffer view;
    /** Whether the last read took as much as there was room for, so that more was waiting. */
    private boolean filled;

    /** The received bytes, up to the limit. Only {@link #fill} replaces the buffer, when it must grow. */
    protected ByteBuffer in;

    /** The position in {@link #in} at which the next frame begins. */
    protected int start;

    /** The bytes from {@link #start} on to read at least, as far as the beginning of the frame tells; set by {@link #next} of one that is incomplete. */
    protected int announced;

    /** The size of the last large frame, which the next one may have. */
    private int large;

    /**
     * Creates a buffer that is small at first and doubles while reads fill it.
     *
     * @param direct whether it is outside the heap
     * @param usual the capacity up to which it grows as long as reads fill it, in bytes
     * @param largest the capacity up to which it grows for a frame, in bytes; larger than the largest frame
     */
    protected ReadBuffer(boolean direct, int usual, int largest) {
        int capacity = Math.min(INITIAL, usual);
        this.in = (direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity)).limit(0);
        this.view = in.duplicate();
        this.usual = usual;
        this.largest = largest;
    }

    /**
     * Moves to the next frame if it has been received completely, and returns whether it has.
     *
     * @throws IOException if the bytes are not a valid frame
     */
    public abstract boolean next() throws IOException;

    /** Blocks until at least one more byte has been received. Invalidates the positions of earlier frames. */
    public final void fill(Wire wire) throws IOException {
        int end = in.limit();
        int left = end - start;
        if (filled && in.capacity() < usual) {
            in.position(start);
            start = 0;
            growTo(Math.min(2 * in.capacity(), usual));
        } else if (left == 0) {
            in.clear();
            start = 0;
        } else if (start > 0 && (left < MOVED || end > in.capacity() / 2)) {
            in.position(start).compact();
            start = 0;
        } else if (end == in.capacity()) {
            // grow when the whole buffer is full, not already when a large length is announced
            grow();
        } else {
            in.limit(in.capacity()).position(end);
        }
        if (announced >= LARGE) {
            large = announced;
        } else if (announced == 0 && left < MOVED) {
            announced = large;
        }
        if (announced >= LARGE && start + announced > in.position()) {
            in.limit(Math.min(in.limit(), start + announced));
        }
        announced = 0;
        int count = wire.read(in);
        filled = in.limit() == in.capacity() && !in.hasRemaining();
        in.flip();
        if (count < 0) {
            throw new EOFException("the broker closed the connection");
        }
    }

    private void grow() throws IOException {
        if (in.capacity() >= largest) {
            throw new IOException("the broker sent a frame of more than " + largest + " bytes");
        }
        in.position(0);
        growTo((int) Math.min(2L * in.capacity(), largest));
    }

    /** Replaces the buffer by a larger one with its remaining bytes at the front. */
    private void growTo(int capacity) {
        ByteBuffer more = in.isDirect() ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
        in = more.put(in);
        view = in.duplicate();
    }

    /** Blocks until a whole frame has been received, and moves to it. */
    public final void await(Wire wire) throws IOException {
        while (!next()) {
            fill(wire);
        }
    }

    /** Returns the buffer that holds the current frame. */
    public final ByteBuffer buffer() {
        return in;
    }

    /** Returns a view of the bytes from {@code from} to {@code to}. Every call returns the same object. */
    public final ByteBuffer view(int from, int to) {
        return view.clear().limit(to).position(from);
    }
}
