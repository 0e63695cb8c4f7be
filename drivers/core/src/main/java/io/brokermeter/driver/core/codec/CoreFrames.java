package io.brokermeter.driver.core.codec;

import java.io.IOException;

import io.brokermeter.driver.wire.ReadBuffer;

/** The reading side of a connection, split into packets. */
final class CoreFrames extends ReadBuffer {

    /** The capacity up to which the buffer grows as long as reads fill it, in bytes. */
    private static final int USUAL = 256 << 10;
    /** No broker sends larger packets, and the first words of other protocols announce more: {@code HTTP}, {@code SSH-}, a TLS alert. */
    private static final int LARGEST = 256 << 20;

    private byte type;
    private long channel;
    private int end;

    CoreFrames() {
        super(true, USUAL, LARGEST + CorePackets.HEADER);
    }

    /** Moves to the next packet if it has been received completely; the position of {@link #buffer()} is then at its fields. */
    @Override
    public boolean next() throws IOException {
        int available = in.limit() - start;
        if (available < Integer.BYTES) {
            return false;
        }
        int length = in.getInt(start);
        if (length < CorePackets.HEADER - Integer.BYTES || length > LARGEST) {
            throw new IOException("the broker sent a packet of impossible length " + length
                + ", so that port does not seem to speak CORE");
        }
        if (available < length + Integer.BYTES) {
            announced = length + Integer.BYTES;
            return false;
        }
        type = in.get(start + Integer.BYTES);
        channel = in.getLong(start + Integer.BYTES + 1);
        in.position(start + CorePackets.HEADER);
        end = start + Integer.BYTES + length;
        start = end;
        return true;
    }

    byte type() {
        return type;
    }

    long channel() {
        return channel;
    }

    /** Returns the position behind the current packet. */
    int end() {
        return end;
    }

    /** Returns the size of the current packet in bytes, as windows count it. Valid until its fields have been read. */
    int size() {
        return end - in.position() + CorePackets.HEADER;
    }
}
