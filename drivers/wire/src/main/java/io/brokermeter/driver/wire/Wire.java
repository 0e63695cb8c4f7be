package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connected stream of bytes in both directions; calls block. One thread reads while another one writes; any may close. */
public interface Wire {

    /** TCP without encryption, over a connected channel. */
    static Wire over(SocketChannel channel) {
        return new PlainWire(channel);
    }

    /**
     * Blocks until there is something to read, and reads what is there and has room.
     *
     * @return the number of bytes, -1 when the peer has ended its side
     */
    int read(ByteBuffer into) throws IOException;

    /** Blocks until all that remains is written. */
    void write(ByteBuffer from) throws IOException;

    /** Announces to the peer that nothing more will be written. */
    void end();

    /** Ends both directions, and reads and writes under way, at once and without a word to the peer. Idempotent. */
    void close();
}
