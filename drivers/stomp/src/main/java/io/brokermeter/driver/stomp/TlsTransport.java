package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLSocket;

/** TLS over a socket of its own. */
final class TlsTransport implements Transport {

    /** The most that one record of TLS carries. */
    private static final int RECORD = 16 * 1024;

    private final Socket raw;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] chunk = new byte[4 * RECORD];

    /**
     * @param raw the connected socket below
     * @param tls the socket above it, after its handshake
     */
    TlsTransport(Socket raw, SSLSocket tls) throws IOException {
        this.raw = raw;
        this.in = tls.getInputStream();
        this.out = tls.getOutputStream();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int count = in.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
        if (count > 0) {
            into.position(into.position() + count);
        }
        return count;
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            int count = Math.min(from.remaining(), chunk.length);
            from.get(chunk, 0, count);
            out.write(chunk, 0, count);
        }
    }

    /** Closes the socket below: a farewell over TLS would wait for a write that is under way. */
    @Override
    public void close() {
        try {
            raw.close();
        } catch (IOException e) {
            // closed all the same
        }
    }
}
