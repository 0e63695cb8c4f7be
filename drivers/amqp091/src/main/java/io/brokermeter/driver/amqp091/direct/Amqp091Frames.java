package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import io.brokermeter.driver.wire.ChannelFrames;

/** The reading side of a connection, split into AMQP 0-9-1 frames. */
final class Amqp091Frames extends ChannelFrames {

    /** The frame types. */
    static final int METHOD = 1;
    static final int HEADER = 2;
    static final int BODY = 3;
    static final int HEARTBEAT = 8;

    /** Bytes of a frame besides its payload: type, channel and size before it, the end mark behind it. */
    static final int OVERHEAD = 8;
    static final byte END = (byte) 0xce;

    private static final int FRONT = 7;
    private static final int CAPACITY = 256 * 1024;

    private final int frameMax;

    /** @param frameMax size of the largest frame that the peer may send, in bytes */
    Amqp091Frames(int frameMax) {
        super(Math.max(CAPACITY, 2 * frameMax));
        this.frameMax = frameMax;
    }

    /** Moves to the next frame if it has been received completely; the position of {@link #buffer()} is then at its payload. */
    @Override
    public boolean next() throws IOException {
        int available = in.limit() - start;
        if (available < OVERHEAD) {
            return false;
        }
        int size = in.getInt(start + 3);
        if (in.get(start) == 'A' && in.get(start + 1) == 'M') {
            throw new IOException("the server does not speak AMQP 0-9-1 but answers " + header());
        }
        if (size < 0 || size > frameMax - OVERHEAD) {
            throw new IOException("the broker sent something that is no AMQP 0-9-1 frame (size " + size + ")");
        }
        if (available < size + OVERHEAD) {
            return false;
        }
        if (in.get(start + FRONT + size) != END) {
            throw new IOException("the broker sent a frame without an end mark");
        }
        type = in.get(start);
        channel = in.getShort(start + 1) & 0xffff;
        in.position(start + FRONT);
        frameEnd = start + FRONT + size;
        start = frameEnd + 1;
        return true;
    }

    /** Returns the protocol header by which a server refuses another protocol: four letters, then its own version in four bytes. */
    private String header() {
        byte[] letters = new byte[4];
        in.get(start, letters);
        return new String(letters, StandardCharsets.US_ASCII) + " " + in.get(start + 5) + "-" + in.get(start + 6) + "-"
            + in.get(start + 7);
    }
}
