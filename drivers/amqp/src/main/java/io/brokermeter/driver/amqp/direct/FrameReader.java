package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.ReadBuffer;
import io.brokermeter.driver.wire.Wire;

/** The reading side of a connection, cut into frames. */
final class FrameReader extends ReadBuffer {

    /** The largest frame that we allow the peer to send. */
    static final int MAX_FRAME = 128 * 1024;

    private static final int HEADER = 8;

    private int frameEnd;
    private int type;
    private int number;

    FrameReader() {
        super(ByteBuffer.allocateDirect(2 * MAX_FRAME), 2 * MAX_FRAME);
    }

    /** Blocks until {@code count} bytes are there, and takes them away. */
    byte[] take(Wire wire, int count) throws IOException {
        while (in.limit() - start < count) {
            fill(wire);
        }
        byte[] bytes = new byte[count];
        in.get(start, bytes);
        start += count;
        return bytes;
    }

    /** Goes to the next frame when all of it has come; the position of {@link #buffer()} is then at its body. */
    @Override
    public boolean next() throws IOException {
        int available = in.limit() - start;
        if (available < HEADER) {
            return false;
        }
        int size = in.getInt(start);
        int offset = (in.get(start + 4) & 0xff) * 4;
        if (size < HEADER || size > MAX_FRAME || offset < HEADER || offset > size) {
            throw new IOException("the broker sent something that is no AMQP frame (size " + size + ")");
        }
        if (available < size) {
            return false;
        }
        type = in.get(start + 5);
        number = in.getShort(start + 6) & 0xffff;
        in.position(start + offset);
        frameEnd = start + size;
        start = frameEnd;
        return true;
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
}
