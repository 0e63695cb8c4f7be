package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.brokermeter.driver.wire.WireConnection;

/** Frames of acknowledgements one behind the other, ready to be written. Used by one thread at a time. */
final class AckFrames {

    static final byte[] NOTHING = {};
    private static final byte[] END = {'\n', '\n', '\0'};

    private final byte[] positive;
    private final byte[] negative;
    private byte[] bytes = new byte[1024];
    private int length;

    /** @param subscription the header {@code id} of the subscription */
    AckFrames(StompVersion version, String subscription) {
        String rest = version == StompVersion.V1_2 ? "ACK\nid:" : "ACK\nsubscription:" + subscription + "\nmessage-id:";
        this.positive = rest.getBytes(StandardCharsets.US_ASCII);
        this.negative = ("N" + rest).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Adds a frame, unless the message has no id.
     *
     * @param id holds the message's id, which goes back as it came, escapes and all
     * @param line a line break and a header more; empty for none
     */
    void add(boolean refuses, byte[] id, int from, int to, byte[] line) {
        if (from >= 0 && from < to) {
            add(refuses ? negative : positive);
            put(id, from, to);
            add(line);
            add(END);
        }
    }

    /** Adds the frames of another one, each with a line break and a header more. */
    void add(AckFrames others, byte[] line) {
        int from = 0;
        for (int at = 0; at < others.length; at++) {
            if (others.bytes[at] == 0) {
                put(others.bytes, from, at + 1 - END.length);
                add(line);
                add(END);
                from = at + 1;
            }
        }
    }

    /** Adds whole frames. */
    void add(byte[] frames) {
        put(frames, 0, frames.length);
    }

    private void put(byte[] text, int from, int to) {
        if (bytes.length < length + to - from) {
            bytes = Arrays.copyOf(bytes, Math.max(length + to - from, bytes.length * 2));
        }
        System.arraycopy(text, from, bytes, length, to - from);
        length += to - from;
    }

    boolean isEmpty() {
        return length == 0;
    }

    /** The bytes of all frames. */
    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    /** Removes what stands behind the first {@code bytes}. */
    void cut(int bytes) {
        length = Math.min(length, bytes);
    }

    /** Appends all frames to what a connection writes next; none are left. */
    void appendTo(WireConnection connection) {
        if (length > 0) {
            connection.lock.lock();
            try {
                connection.out.append(bytes, length);
            } finally {
                connection.lock.unlock();
            }
            length = 0;
        }
    }
}
