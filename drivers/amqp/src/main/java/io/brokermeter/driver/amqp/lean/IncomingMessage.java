package io.brokermeter.driver.amqp.lean;

import java.nio.ByteBuffer;

/**
 * Finds the body in an encoded message without decoding the rest. Used again for every message of one thread.
 *
 * <p>A body is what a JMS client would show as bytes: the data section, or a value section that holds a binary. Anything
 * else, and anything malformed, is an empty body.
 */
final class IncomingMessage {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    private static final int HEADER = 0x70;
    private static final int DATA = 0x75;
    private static final int VALUE = 0x77;
    private static final int DELIVERY_COUNT = 4;

    private boolean redelivered;

    /**
     * Narrows {@code message}, whose position and limit enclose one encoded message, to its body.
     *
     * @return {@code message} itself, or another buffer when the body is empty or lies in several sections
     */
    ByteBuffer body(ByteBuffer message) {
        redelivered = false;
        try {
            return find(message);
        } catch (RuntimeException malformed) {
            // whoever sent it, the consumer must be able to go on with the next message
            return EMPTY.clear();
        }
    }

    /** Whether the header of the last message says that it was delivered before. */
    boolean redelivered() {
        return redelivered;
    }

    private ByteBuffer find(ByteBuffer in) {
        int start = -1;
        int length = 0;
        ByteBuffer joined = null;
        while (in.hasRemaining()) {
            if (in.get() != 0) {
                return EMPTY.clear();
            }
            int section = Encoded.descriptor(in);
            if (section == HEADER) {
                header(in);
            } else if (section == DATA || (section == VALUE && isBinary(in))) {
                int size = (in.get() & 0xff) == 0xa0 ? in.get() & 0xff : in.getInt();
                int at = in.position();
                in.position(at + size);
                if (start >= 0 || joined != null) {
                    joined = join(joined, in, start, length, at, size);
                }
                start = at;
                length = size;
            } else {
                Encoded.skip(in);
            }
        }
        if (joined != null) {
            return joined.flip();
        }
        if (start < 0) {
            return EMPTY.clear();
        }
        return in.limit(start + length).position(start);
    }

    private static boolean isBinary(ByteBuffer in) {
        int code = in.get(in.position()) & 0xff;
        return code == 0xa0 || code == 0xb0;
    }

    private void header(ByteBuffer in) {
        int end = Encoded.listEnd(in);
        int fields = Encoded.list(in);
        if (fields > DELIVERY_COUNT) {
            for (int i = 0; i < DELIVERY_COUNT; i++) {
                Encoded.skip(in);
            }
            redelivered = Encoded.uint(in, 0) != 0;
        }
        in.position(end);
    }

    private static ByteBuffer join(
            @org.jspecify.annotations.Nullable ByteBuffer joined, ByteBuffer in, int start, int length, int at, int size) {
        ByteBuffer all = joined;
        if (all == null) {
            all = ByteBuffer.allocate(in.limit() - start);
            all.put(all.position(), in, start, length).position(length);
        }
        all.put(all.position(), in, at, size).position(all.position() + size);
        return all;
    }
}
