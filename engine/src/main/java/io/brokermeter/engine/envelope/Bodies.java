package io.brokermeter.engine.envelope;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The bytes behind the envelope: the same incompressible stream for every sender of this version, so that any receiver
 * can tell whether a broker changed them.
 */
public final class Bodies {

    private static final int PERIOD = 1 << 16;
    private static final byte[] STREAM = stream();
    private static final ByteBuffer STREAM_BUFFER = ByteBuffer.wrap(STREAM);
    private static final ByteBuffer PATTERN = ByteBuffer.allocateDirect(PERIOD).put(STREAM).flip().asReadOnlyBuffer();

    private Bodies() {}

    /** Creates a body of {@code size} bytes; its first {@link Envelope#SIZE} bytes are free for the envelope. */
    public static byte[] create(int size) {
        byte[] body = new byte[size];
        for (int at = 0; at < size; at += PERIOD) {
            System.arraycopy(STREAM, 0, body, at, Math.min(PERIOD, size - at));
        }
        return body;
    }

    /** Returns what the bodies of {@link #create} repeat behind the envelope, outside the heap. */
    static ByteBuffer pattern() {
        return PATTERN;
    }

    /** Checks received bodies. Used by one thread. */
    public static final class Checker {

        private final ByteBuffer expected = STREAM_BUFFER.duplicate();
        private final BodySum sum = new BodySum();

        /**
         * Returns whether a body arrived as it was sent: its length, all its bytes and its envelope. Leaves the positions
         * and the limits of both buffers as they were.
         *
         * @param head the envelope
         * @param body the body; the same object as {@code head} if the envelope is part of the body
         */
        public boolean intact(ByteBuffer head, ByteBuffer body) {
            int from = head == body ? Envelope.SIZE : 0;
            if (!Envelope.bodyIsKnown(head)) {
                return sum.of(body, body.position() + from) == Envelope.content(head);
            }
            return Envelope.length(body.remaining()) == Envelope.content(head) && isStream(body, from);
        }

        private boolean isStream(ByteBuffer body, int begin) {
            int start = body.position();
            int limit = body.limit();
            int size = limit - start;
            if (size <= PERIOD) {
                // Most bodies are as long as the one before.
                if (expected.limit() != size || expected.position() != begin) {
                    expected.limit(size).position(begin);
                }
                boolean equal = body.position(start + begin).mismatch(expected) < 0;
                body.position(start);
                return equal;
            }
            boolean same = true;
            for (int from = begin; from < size && same;) {
                int phase = from % PERIOD;
                int length = Math.min(size - from, PERIOD - phase);
                body.limit(start + from + length).position(start + from);
                expected.limit(phase + length).position(phase);
                same = body.mismatch(expected) < 0;
                from += length;
            }
            body.limit(limit).position(start);
            return same;
        }
    }

    private static byte[] stream() {
        byte[] bytes = new byte[PERIOD];
        new SplittableRandom(0x62726f6b65726dL).nextBytes(bytes);
        return bytes;
    }
}
