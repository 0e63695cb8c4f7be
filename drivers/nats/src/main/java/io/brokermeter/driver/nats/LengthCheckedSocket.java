package io.brokermeter.driver.nats;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLSocket;

import io.brokermeter.driver.tls.Tls;
import io.nats.client.Options;
import io.nats.client.impl.SocketDataPortWithWriteTimeout;
import org.jspecify.annotations.Nullable;

/**
 * The client's own socket with a check of the lengths that the server announces, since the client allocates a buffer of any announced
 * length. Over TLS it also checks the host, which the client does not. Created by the client, by the name of this class; used by its reader
 * thread.
 */
public final class LengthCheckedSocket extends SocketDataPortWithWriteTimeout {

    private final Lengths lengths = new Lengths();
    private @Nullable LossListener losses;
    private @Nullable Tls tls;
    private int handshakeMillis;
    /** The plain socket below TLS. */
    private volatile @Nullable Socket below;

    /** Creates a socket; called by the client. */
    public LengthCheckedSocket() {}

    @Override
    public void afterConstruct(Options options) {
        super.afterConstruct(options);
        LossListener ours = (LossListener) options.getErrorListener();
        tls = ours.tls();
        losses = ours;
        handshakeMillis = (int) Math.clamp(options.getConnectionTimeout().toMillis(), 1, Integer.MAX_VALUE);
    }

    @Override
    public void upgradeToSecure() throws IOException {
        Tls with = tls;
        if (with == null) {
            throw new IOException("TLS was not asked for.");
        }
        Socket plain = socket;
        below = plain;
        plain.setSoTimeout(handshakeMillis);
        SSLSocket encrypted = with.over(plain, host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        plain.setSoTimeout(0);
        socket = encrypted;
        in = encrypted.getInputStream();
        out = encrypted.getOutputStream();
        isSecure = true;
    }

    /** Closes the plain socket first: a TLS close_notify would wait for a write in progress. */
    @Override
    public void close() throws IOException {
        Socket plain = below;
        if (plain != null) {
            plain.close();
        }
        super.close();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        boolean more = false;
        try {
            int count = super.read(target, offset, length);
            if (count >= 0) {
                lengths.look(target, offset, offset + count);
                more = true;
            }
            return count;
        } finally {
            LossListener waiting = losses;
            if (!more && waiting != null) {
                waiting.ended();
            }
        }
    }

    /** Follows the server's lines, and the payloads that follow the lines of messages. */
    static final class Lengths {

        /** Size limit of a message in bytes; no server can be configured for more than 64 MiB. */
        static final int LARGEST = 128 * 1024 * 1024;
        private static final int LONGEST_LINE = 1024 * 1024;

        /** Number of bytes of a message still to come, with its line end. */
        private long left;
        /** The first byte, in lower case, of a partly received line; {@link #came} is the length of that part, 0 for none. */
        private int kind;
        private int came;
        /** The number at the end of the received part. */
        private long number;

        /** @throws IOException if the server announces a length that is too large */
        void look(byte[] bytes, int from, int to) throws IOException {
            int at = from;
            while (at < to) {
                if (left > 0) {
                    int step = (int) Math.min(left, to - at);
                    left -= step;
                    at += step;
                    continue;
                }
                if (came == 0) {
                    kind = bytes[at] | 0x20;
                    number = 0;
                }
                int end = at;
                while (end < to && bytes[end] != '\n') {
                    end++;
                }
                if (kind == 'm' || kind == 'h') {
                    number = number(bytes, at, end);
                }
                if (end == to) {
                    came += end - at;
                    if (came > LONGEST_LINE) {
                        throw new IOException("The NATS server sent a line of more than " + LONGEST_LINE + " bytes.");
                    }
                    return;
                }
                came = 0;
                at = end + 1;
                if (kind == 'm' || kind == 'h') {
                    if (number > LARGEST) {
                        throw new IOException("The NATS server announced a message of " + number + " bytes, and more than " + LARGEST
                            + " are not taken.");
                    }
                    left = number + 2;
                }
            }
        }

        /** Returns the number at the end of a piece of a line; the number may have begun in the piece before. */
        private long number(byte[] bytes, int from, int to) {
            int last = to;
            while (last > from && bytes[last - 1] == '\r') {
                last--;
            }
            int first = last;
            while (first > from && bytes[first - 1] >= '0' && bytes[first - 1] <= '9') {
                first--;
            }
            long value = first == from ? number : 0;
            for (int i = first; i < last; i++) {
                // more digits than any length has
                value = Math.min(value, Long.MAX_VALUE / 100) * 10 + bytes[i] - '0';
            }
            return value;
        }
    }
}
