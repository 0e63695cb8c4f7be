package io.brokermeter.driver.kafka.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.driver.wire.ReadBuffer;

/** Splits what a broker sends into answers: four bytes of length, and four bytes with the number of the request. */
public final class ResponseFrames extends ReadBuffer {

    private static final int USUAL = 64 * 1024;

    private final int largest;
    private int end;

    /** @param largest length in bytes of the longest answer */
    public ResponseFrames(int largest) {
        super(true, USUAL, largest + Integer.BYTES);
        this.largest = largest;
    }

    @Override
    public boolean next() throws IOException {
        int left = in.limit() - start;
        if (left < Integer.BYTES) {
            return false;
        }
        int length = in.getInt(start);
        if (length < Integer.BYTES || length > largest) {
            throw new IOException("it sent something that is no answer of a Kafka broker");
        }
        if (left - Integer.BYTES < length) {
            return false;
        }
        end = start + Integer.BYTES + length;
        in.position(start + Integer.BYTES);
        start = end;
        return true;
    }

    /** Returns the rest of the current answer as a new buffer. */
    public ByteBuffer rest() {
        return in.slice(in.position(), end - in.position());
    }

    /** Reads a text of two bytes of length; empty for null. */
    public String text() {
        short length = in.getShort();
        if (length <= 0) {
            return "";
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Skips a text like {@link #text}. */
    public void skipText() {
        int length = Math.max(0, in.getShort());
        in.position(in.position() + length);
    }
}
