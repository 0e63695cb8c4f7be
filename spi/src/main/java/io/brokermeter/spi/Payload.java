package io.brokermeter.spi;

import java.nio.ByteBuffer;

/**
 * The body of one message, in a buffer that its sender uses again for the next one. A driver copies what it must keep
 * before {@link Producer#send} returns.
 */
public final class Payload {

    private final byte[] bytes;
    private final ByteBuffer view;

    public Payload(byte[] bytes) {
        this.bytes = bytes;
        this.view = ByteBuffer.wrap(bytes);
    }

    /** The whole body; not to be changed by a driver. */
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return bytes.length;
    }

    /** The whole body as a buffer over the same bytes, position 0, limit at the end; the same object at each call. */
    public ByteBuffer buffer() {
        return view.clear();
    }
}
