package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.brokermeter.driver.wire.WireConnection;

/** A sequence of acknowledgement frames, ready to be written. Used by one thread at a time. */
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
     * @param refuses whether the frame is a NACK
     * @param id buffer with the message's id from {@code from} to {@code to}, which is returned as received, including escapes
     * @param line an additional header, preceded by a line break; empty for none
     */
    void add(boolean refuses, byte[] id, int from, int to, byte[] line) {
        if (from >= 0 && from < to) {
            add(refuses ? negative : positive);
            put(id, from, to);
            add(line);
            add(END);
        }
    }

    /** Adds the frames of another sequence, each with an additional header, preceded by a line break. */
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

    /** Returns the size of all frames in bytes. */
    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    /** Removes everything behind the first {@code bytes} bytes. */
    void cut(int bytes) {
        length = Math.min(length, bytes);
    }

    /** Appends all frames to the output of a connection, and removes them here. */
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
