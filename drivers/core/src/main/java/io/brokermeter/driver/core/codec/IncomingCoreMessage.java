package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.spi.Payload;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a consumer needs in an encoded message, without decoding the rest. Reused for every message of one thread. The body is that of a
 * bytes message; any other message has an empty one.
 */
final class IncomingCoreMessage {

    private static final int BODY_BASE = 13;
    private static final byte BYTES_MESSAGE = 4;
    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.UTF_16LE);
    private static final int USER_ID = 16;

    private static final byte NULL = 0;
    private static final byte BOOLEAN = 2;
    private static final byte BYTE = 3;
    private static final byte BYTES = 4;
    private static final byte SHORT = 5;
    private static final byte INT = 6;
    private static final byte LONG = 7;
    private static final byte FLOAT = 8;
    private static final byte DOUBLE = 9;
    private static final byte STRING = 10;
    private static final byte CHAR = 11;

    private long id;
    private long expiration;
    private int bodyStart;
    private int bodyEnd;
    private boolean bytes;
    private boolean enveloped;
    private ByteBuffer digits = ByteBuffer.allocate(64);
    private ByteBuffer envelope = ByteBuffer.allocate(64);

    /** Reads a whole message from a buffer's position on; the position is then undefined. */
    void read(ByteBuffer in) {
        int length = in.getInt() - BODY_BASE;
        bodyStart = in.position();
        bodyEnd = bodyStart + length;
        in.position(bodyEnd);
        readHeaders(in);
    }

    /** Reads the headers and properties of a message from a buffer's position on; the position is then undefined. */
    void readHeaders(ByteBuffer in) {
        id = in.getLong();
        if (in.get() != NULL) {
            skip(in, in.getInt()); // address
        }
        if (in.get() != NULL) {
            skip(in, USER_ID);
        }
        bytes = in.get() == BYTES_MESSAGE;
        in.get(); // durable
        expiration = in.getLong();
        skip(in, Long.BYTES + 1); // timestamp, priority
        enveloped = false;
        if (in.get() != NULL) {
            for (int left = in.getInt(); left > 0 && !enveloped; left--) {
                property(in);
            }
        }
    }

    private static void skip(ByteBuffer in, int count) {
        in.position(in.position() + count);
    }

    private void property(ByteBuffer in) {
        int length = in.getInt();
        boolean wanted = length == PROPERTY.length && isProperty(in);
        skip(in, length);
        byte type = in.get();
        switch (type) {
            case NULL -> {}
            case BOOLEAN, BYTE -> skip(in, 1);
            case SHORT, CHAR -> skip(in, 2);
            case INT, FLOAT -> skip(in, 4);
            case LONG, DOUBLE -> skip(in, 8);
            case BYTES, STRING -> {
                int size = in.getInt();
                if (wanted) {
                    enveloped = type == STRING ? text(in, size) : bytes(in, size);
                }
                skip(in, size);
            }
            default -> throw new IllegalStateException("a property of the unknown type " + type);
        }
    }

    private static boolean isProperty(ByteBuffer in) {
        int at = in.position();
        for (int i = 0; i < PROPERTY.length; i++) {
            if (in.get(at + i) != PROPERTY[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean text(ByteBuffer in, int size) {
        int count = size / 2;
        if (digits.capacity() < count) {
            digits = ByteBuffer.allocate(count);
            envelope = ByteBuffer.allocate(count / 2);
        }
        for (int i = 0; i < count; i++) {
            digits.put(i, in.get(in.position() + 2 * i + 1) == 0 ? in.get(in.position() + 2 * i) : 0);
        }
        return PropertyText.decode(digits, 0, count, envelope);
    }

    private boolean bytes(ByteBuffer in, int size) {
        if (envelope.capacity() < size) {
            envelope = ByteBuffer.allocate(size);
        }
        envelope.clear().put(0, in, in.position(), size).limit(size);
        return true;
    }

    /** Returns the number that the broker has given the message. */
    long id() {
        return id;
    }

    /** Returns whether the message's time to live is over. */
    boolean isExpired() {
        return expiration > 0 && System.currentTimeMillis() >= expiration;
    }

    /** Returns whether the message is a bytes message. */
    boolean hasBody() {
        return bytes;
    }

    /** Returns the position of the body in the buffer that was {@linkplain #read read}. */
    int bodyStart() {
        return bodyStart;
    }

    /** Returns the position behind the body; that of its start for a message that is no bytes message. */
    int bodyEnd() {
        return bytes ? bodyEnd : bodyStart;
    }

    /** Returns the envelope that the message carried as a property, the same buffer at each call; null if it had none. */
    @Nullable ByteBuffer envelope() {
        return enveloped ? envelope : null;
    }
}
