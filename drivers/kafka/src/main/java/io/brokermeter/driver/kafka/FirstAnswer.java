package io.brokermeter.driver.kafka;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.parameter.ServerUrl;

/**
 * Requests a server's protocol versions, the first request of every Kafka client, before the client does. The client trusts the length at
 * the start of an answer and allocates as much, so that the first four letters of a web server's answer end it with an OutOfMemoryError.
 *
 * @param came whether the server answered at all
 * @param refusal why it is not a Kafka broker that speaks without TLS; empty if it answers like one, and also if it does not answer or
 *     cannot be reached, which the client reports better
 */
record FirstAnswer(boolean came, Optional<String> refusal) {

    private static final short API_VERSIONS = 18;
    private static final int CORRELATION = 0x62726d74;
    /** Far above the length of any answer to this request, in bytes. */
    private static final int MOST_BYTES = 1 << 20;
    private static final int TLS_ALERT = 0x15;

    private static final FirstAnswer NONE = new FirstAnswer(false, Optional.empty());

    /**
     * Asks a server.
     *
     * @param limit time limit
     */
    static FirstAnswer of(ServerUrl.Server server, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.host(), server.port()), millis(deadline));
            socket.getOutputStream().write(question());
            byte[] head = new byte[2 * Integer.BYTES];
            int count = readUpTo(socket, head, deadline);
            return count == 0 ? NONE : new FirstAnswer(true, judge(server, head, count));
        } catch (IOException e) {
            return NONE;
        }
    }

    /**
     * Returns a request of version 0, whose header is the oldest of the protocol: key, version, number of the request and the client's
     * name.
     */
    private static byte[] question() {
        byte[] client = "brokermeter".getBytes(StandardCharsets.US_ASCII);
        int length = 2 * Short.BYTES + Integer.BYTES + Short.BYTES + client.length;
        return ByteBuffer.allocate(Integer.BYTES + length).putInt(length).putShort(API_VERSIONS).putShort((short) 0)
            .putInt(CORRELATION).putShort((short) client.length).put(client).array();
    }

    private static int millis(long deadline) {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    /** Reads what arrives before the deadline, up to the length of {@code head}. Returns the number of bytes. */
    private static int readUpTo(Socket socket, byte[] head, long deadline) throws IOException {
        int count = 0;
        try {
            for (int read = 0; read >= 0 && count < head.length; count += Math.max(0, read)) {
                socket.setSoTimeout(millis(deadline));
                read = socket.getInputStream().read(head, count, head.length - count);
            }
        } catch (SocketTimeoutException e) {
            // The bytes received so far are judged.
        }
        return count;
    }

    private static Optional<String> judge(ServerUrl.Server server, byte[] head, int count) {
        ByteBuffer answer = ByteBuffer.wrap(head, 0, count);
        if (count == head.length) {
            int length = answer.getInt();
            if (length >= Integer.BYTES && length <= MOST_BYTES && answer.getInt() == CORRELATION) {
                return Optional.empty();
            }
        }
        if (count > 1 && head[0] == TLS_ALERT && head[1] == 3) {
            return Optional.of(server + " asks for TLS: set security.protocol=SSL, or SASL_SSL with a user.");
        }
        return Optional.of(server + " is no Kafka broker: its answer begins with " + shown(head, count) + ".");
    }

    private static String shown(byte[] head, int count) {
        String text = new String(head, 0, count, StandardCharsets.ISO_8859_1);
        return text.chars().allMatch(c -> c >= ' ' && c <= '~' || c == '\r' || c == '\n') ? "'" + text.strip() + "'"
            : "the bytes " + HexFormat.ofDelimiter(" ").formatHex(head, 0, count);
    }
}
