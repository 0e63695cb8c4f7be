package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connected stream of bytes in both directions, with blocking calls. One thread may read while another one writes; any thread may close.
 */
public interface Wire {

    /** Creates a wire over a connected TCP channel, without encryption. */
    static Wire over(SocketChannel channel) {
        return new PlainWire(channel);
    }

    /**
     * Reads the available bytes that fit into the buffer. Blocks until there is at least one.
     *
     * @return the number of bytes, -1 if the peer has ended its side
     */
    int read(ByteBuffer into) throws IOException;

    /** Blocks until all remaining bytes are written. */
    void write(ByteBuffer from) throws IOException;

    /** Announces to the peer that nothing more will be written. */
    void end();

    /** Closes both directions at once, without a farewell to the peer, and aborts reads and writes in progress. Idempotent. */
    void close();
}
