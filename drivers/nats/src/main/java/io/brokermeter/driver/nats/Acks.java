package io.brokermeter.driver.nats;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Acknowledgements to be published, each to the reply subject of its message, as whole commands. Used by one thread at a time. */
final class Acks {

    static final byte[] TAKEN = end("+ACK");
    static final byte[] GIVEN_BACK = end("-NAK");
    static final byte[] REFUSED = end("+TERM");
    private static final byte[] PUBLISH = "PUB ".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[1024];
    private int length;
    private int count;

    private static byte[] end(String word) {
        return (" " + word.length() + "\r\n" + word + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Adds an acknowledgement.
     *
     * @param buffer has the reply subject from {@code from} to {@code to}
     * @param what one of the constants of this class
     */
    void add(ByteBuffer buffer, int from, int to, byte[] what) {
        int more = PUBLISH.length + to - from + what.length;
        if (bytes.length < length + more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
        System.arraycopy(PUBLISH, 0, bytes, length, PUBLISH.length);
        length += PUBLISH.length;
        buffer.get(from, bytes, length, to - from);
        length += to - from;
        System.arraycopy(what, 0, bytes, length, what.length);
        length += what.length;
        count++;
    }

    /** Returns the number of acknowledgements. */
    int count() {
        return count;
    }

    /** Appends all of them to the output of a connection, and removes them here. */
    void appendTo(NatsLink link) {
        if (length > 0) {
            link.lock.lock();
            try {
                link.out.append(bytes, length);
            } finally {
                link.lock.unlock();
            }
            length = 0;
            count = 0;
        }
    }

    // ---- what the reply subject of a delivery tells: $JS.ACK.stream.consumer.DELIVERED.sequence.sequence.time.PENDING;
    // newer servers insert domain and account before the stream and append a random word

    /** Returns whether the server has delivered the message before. */
    static boolean isAgain(ByteBuffer reply, int from, int to) {
        int at = from;
        for (int i = words(reply, from, to) > 9 ? 6 : 4; i > 0 && at < to; at++) {
            i -= reply.get(at) == '.' ? 1 : 0;
        }
        return at + 1 < to && !(reply.get(at) == '1' && reply.get(at + 1) == '.');
    }

    /** Returns whether no message waits behind this one. */
    static boolean isLast(ByteBuffer reply, int from, int to) {
        int end = to;
        if (words(reply, from, to) > 11) {
            while (reply.get(--end) != '.') {
                // to the end of the word before the last one
            }
        }
        return end - from >= 2 && reply.get(end - 1) == '0' && reply.get(end - 2) == '.';
    }

    private static int words(ByteBuffer reply, int from, int to) {
        int words = from == to ? 0 : 1;
        for (int i = from; i < to; i++) {
            words += reply.get(i) == '.' ? 1 : 0;
        }
        return words;
    }
}
