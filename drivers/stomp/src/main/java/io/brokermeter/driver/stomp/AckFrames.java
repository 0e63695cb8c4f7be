package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Frames of acknowledgements one behind the other, ready to be written. Used by one thread at a time. */
final class AckFrames {

    private static final byte[] ACK = ascii("ACK\n");
    private static final byte[] NACK = ascii("NACK\n");
    private static final byte[] ID = ascii("id:");
    private static final byte[] MESSAGE_ID = ascii("message-id:");
    private static final byte[] END = {'\n', 0};
    private static final byte[] NOTHING = {};
    private static final byte[] NO_REQUEUE = ascii("requeue:false\n");

    private final boolean modern;
    private final byte[] subscriptionLine;
    private byte[] bytes = new byte[1024];
    private int length;

    /** @param subscription the header {@code id} of the subscription */
    AckFrames(Version version, String subscription) {
        this.modern = version == Version.V1_2;
        this.subscriptionLine = ascii("subscription:" + subscription + "\n");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Adds a frame for the message at hand, whose id goes back as it came, escapes and all. */
    void add(FrameReader in, boolean negative) {
        add(in, negative, NOTHING);
    }

    /** The same with a line more; empty for none. */
    void add(FrameReader in, boolean negative, byte[] line) {
        FrameReader.Header header = modern && in.has(FrameReader.Header.ACK)
            ? FrameReader.Header.ACK : FrameReader.Header.MESSAGE_ID;
        if (!in.has(header)) {
            return;
        }
        int from = in.from(header);
        int size = in.to(header) - from;
        room(NACK.length + subscriptionLine.length + MESSAGE_ID.length + size + 1 + line.length + END.length);
        put(negative ? NACK : ACK);
        if (!modern) {
            put(subscriptionLine);
        }
        put(modern ? ID : MESSAGE_ID);
        System.arraycopy(in.bytes(), from, bytes, length, size);
        length += size;
        bytes[length++] = '\n';
        put(line);
        put(END);
    }

    /** Adds whole frames. */
    void add(byte[] frames) {
        room(frames.length);
        put(frames);
    }

    /** Adds one frame, with a header more. */
    void add(byte[] frame, byte[] line) {
        room(frame.length + line.length);
        System.arraycopy(frame, 0, bytes, length, frame.length - END.length);
        length += frame.length - END.length;
        put(line);
        put(END);
    }

    private void room(int more) {
        if (bytes.length < length + more) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }

    private void put(byte[] text) {
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
    }

    /** The same frame as a negative one. */
    static byte[] negative(byte[] frame) {
        if (frame.length == 0 || frame[0] == 'N') {
            return frame;
        }
        byte[] negative = new byte[frame.length + 1];
        negative[0] = 'N';
        System.arraycopy(frame, 0, negative, 1, frame.length);
        return negative;
    }

    /** The line by which a negative frame ends a message, with a broker that would deliver it again otherwise. */
    static byte[] ending(Dialect dialect) {
        return dialect.requeues() ? NO_REQUEUE : NOTHING;
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return bytes;
    }

    /** All frames, in an array of their own; none are left. */
    byte[] take() {
        byte[] all = Arrays.copyOf(bytes, length);
        length = 0;
        return all;
    }

    void clear() {
        length = 0;
    }
}
