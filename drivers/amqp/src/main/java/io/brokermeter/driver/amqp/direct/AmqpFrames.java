package io.brokermeter.driver.amqp.direct;

import java.io.IOException;

import io.brokermeter.driver.wire.ChannelFrames;
import io.brokermeter.driver.wire.Wire;

/** The reading side of a connection, split into AMQP frames. */
final class AmqpFrames extends ChannelFrames {

    /** Size of the largest frame that we allow the peer to send, in bytes. */
    static final int MAX_FRAME = 128 * 1024;

    private static final int HEADER = 8;

    AmqpFrames() {
        super(2 * MAX_FRAME);
    }

    /** Blocks until {@code count} bytes have been received, then removes and returns them. */
    byte[] take(Wire wire, int count) throws IOException {
        while (in.limit() - start < count) {
            fill(wire);
        }
        byte[] bytes = new byte[count];
        in.get(start, bytes);
        start += count;
        return bytes;
    }

    /**
     * Moves to the next frame if it has been received completely; the position of {@link #buffer()} is then at its body. Frame types: 0 is
     * AMQP, 1 is SASL.
     */
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
            announced = size;
            return false;
        }
        type = in.get(start + 5);
        channel = in.getShort(start + 6) & 0xffff;
        in.position(start + offset);
        frameEnd = start + size;
        start = frameEnd;
        return true;
    }
}
