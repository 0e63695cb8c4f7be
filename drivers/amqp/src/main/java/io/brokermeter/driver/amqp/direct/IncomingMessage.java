package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds body and envelope in an encoded message without decoding the rest. Reused for every message of one thread.
 *
 * <p>The body is what a JMS client would present as a bytes message: the data section, or a value section that holds a binary. A message
 * with any other body, and a malformed message, has an empty body.
 */
final class IncomingMessage {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    private static final int HEADER = 0x70;
    private static final int APPLICATION_PROPERTIES = 0x74;
    private static final int DATA = 0x75;
    private static final int VALUE = 0x77;
    private static final int DELIVERY_COUNT = 4;

    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.US_ASCII);

    private boolean redelivered;
    private ByteBuffer envelope = ByteBuffer.allocate(64);
    private boolean hasEnvelope;

    /**
     * Narrows {@code message}, whose position and limit enclose one encoded message, to its body.
     *
     * @return {@code message} itself, or another buffer if the body is empty or spread over several sections
     */
    ByteBuffer body(ByteBuffer message) {
        redelivered = false;
        hasEnvelope = false;
        try {
            return find(message);
        } catch (RuntimeException malformed) {
            // whoever sent it, the consumer must be able to continue with the next message
            return EMPTY.clear();
        }
    }

    /** Returns the envelope that the last message carried as a property, the same buffer at each call; null if it had none. */
    @Nullable ByteBuffer envelope() {
        return hasEnvelope ? envelope : null;
    }

    /** Returns whether the header of the last message marks it as delivered before. */
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
            } else if (section == APPLICATION_PROPERTIES) {
                properties(in);
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

    private void properties(ByteBuffer in) {
        int from = in.position();
        Encoded.skip(in);
        int end = in.position();
        in.position(from);
        int code = in.get() & 0xff;
        if (code == 0xc1) {
            in.position(in.position() + 2);
        } else if (code == 0xd1) {
            in.position(in.position() + 8);
        } else {
            in.position(end);
        }
        while (in.position() < end) {
            boolean found = isProperty(in);
            Encoded.skip(in);
            if (found) {
                value(in);
                break;
            }
            Encoded.skip(in);
        }
        in.position(end);
    }

    private static boolean isProperty(ByteBuffer in) {
        int at = in.position();
        if ((in.get(at) & 0xff) != 0xa1 || in.get(at + 1) != PROPERTY.length) {
            return false;
        }
        for (int i = 0; i < PROPERTY.length; i++) {
            if (in.get(at + 2 + i) != PROPERTY[i]) {
                return false;
            }
        }
        return true;
    }

    /** Reads the value of the envelope property: a text of hexadecimal digits, or the bytes themselves. */
    private void value(ByteBuffer in) {
        int code = in.get() & 0xff;
        boolean text = code == 0xa1 || code == 0xb1;
        if (!text && code != 0xa0 && code != 0xb0) {
            return;
        }
        int length = code < 0xb0 ? in.get() & 0xff : in.getInt();
        int count = text ? length / 2 : length;
        if (length > in.remaining()) {
            return;
        }
        if (count > envelope.capacity()) {
            envelope = ByteBuffer.allocate(count);
        }
        int at = in.position();
        hasEnvelope = !text || PropertyText.decode(in, at, at + length, envelope);
        if (!text) {
            envelope.clear().put(0, in, at, count).limit(count);
        }
    }

    private static ByteBuffer join(
            @Nullable ByteBuffer joined, ByteBuffer in, int start, int length, int at, int size) {
        ByteBuffer all = joined;
        if (all == null) {
            all = ByteBuffer.allocate(in.limit() - start);
            all.put(all.position(), in, start, length).position(length);
        }
        all.put(all.position(), in, at, size).position(all.position() + size);
        return all;
    }
}
