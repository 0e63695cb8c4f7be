package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import io.brokermeter.driver.tls.Tls;

/**
 * A connected stream of bytes in both directions, with blocking calls. One thread may read while another one writes; any thread may close.
 */
public interface Wire {

    /** Creates a wire over a connected TCP channel, without encryption. */
    static Wire over(SocketChannel channel) {
        return new PlainWire(channel);
    }

    /**
     * Performs the TLS handshake over a connected TCP channel. Blocks without a limit; the caller bounds the wait by closing the channel.
     *
     * @param host the host that the certificate must name, if {@code tls} checks that
     * @return a wire with TLS; after a failed handshake the channel is not closed
     */
    static Wire over(SocketChannel channel, Tls tls, String host, int port) throws IOException {
        // the channel's own socket: its streams allow one thread to read while another one writes
        var socket = channel.socket();
        return new TlsWire(socket, tls.over(socket, host, port));
    }

    /**
     * Reads the available bytes that fit into the buffer. Blocks until there is at least one.
     *
     * @return the number of bytes, -1 if the peer has ended its side
     */
    int read(ByteBuffer into) throws IOException;

    /** Blocks until all remaining bytes are written. */
    void write(ByteBuffer from) throws IOException;

    /** Blocks until all remaining bytes of the first {@code count} buffers are written, one behind the other; none of them is empty. */
    default void write(ByteBuffer[] from, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            write(from[i]);
        }
    }

    /** Announces to the peer that nothing more will be written. */
    void end();

    /** Closes both directions at once, without a farewell to the peer, and aborts reads and writes in progress. Idempotent. */
    void close();
}
