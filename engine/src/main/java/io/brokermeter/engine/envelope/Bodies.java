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

    private Bodies() {}

    /** A new body of {@code size} bytes; its first {@link Envelope#SIZE} bytes are free for the envelope. */
    public static byte[] create(int size) {
        byte[] body = new byte[size];
        for (int at = 0; at < size; at += PERIOD) {
            System.arraycopy(STREAM, 0, body, at, Math.min(PERIOD, size - at));
        }
        return body;
    }

    /** Checks received bodies. Used by one thread. */
    public static final class Checker {

        private final ByteBuffer expected = STREAM_BUFFER.duplicate();

        /** Whether every byte behind the envelope is as it was sent. Leaves position and limit as they were. */
        public boolean intact(ByteBuffer body) {
            int start = body.position();
            int limit = body.limit();
            int size = limit - start;
            boolean same = true;
            for (int from = Envelope.SIZE; from < size && same; ) {
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
