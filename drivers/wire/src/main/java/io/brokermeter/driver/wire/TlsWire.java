package io.brokermeter.driver.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLSocket;

/** TLS over a TCP socket. */
final class TlsWire implements Wire {

    /** Size of the copy buffers in bytes: the content of a TLS record, which is what the socket reads and writes at a time. */
    private static final int CHUNK = 16 * 1024;

    private final Socket plain;
    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] read = new byte[CHUNK];
    private final byte[] written = new byte[CHUNK];

    /**
     * @param plain the connected TCP socket
     * @param socket the TLS socket layered over {@code plain}, after its handshake
     */
    TlsWire(Socket plain, SSLSocket socket) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = in.read(read, 0, Math.min(read.length, into.remaining()));
        if (count > 0) {
            into.put(read, 0, count);
        }
        return count;
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            int count = Math.min(from.remaining(), written.length);
            from.get(written, 0, count);
            out.write(written, 0, count);
        }
    }

    @Override
    public void end() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // the peer is gone, which the reader notices
        }
    }

    /** Closes the TCP socket: a TLS close_notify would wait for a write in progress. */
    @Override
    public void close() {
        try {
            plain.close();
        } catch (IOException e) {
            // closed all the same
        }
    }
}
