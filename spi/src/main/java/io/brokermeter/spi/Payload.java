package io.brokermeter.spi;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * One message, in buffers that its sender uses again for the next one. A driver copies what it must keep before
 * {@link Producer#send} returns, and changes nothing.
 */
public final class Payload {

    /** Name of the message property that carries {@link #envelope()}; a valid name in every protocol. */
    public static final String PROPERTY = "brokermeter";

    private byte[] bytes;
    private int length;
    private ByteBuffer view;
    private byte[] exact = {};
    private int variant;
    private byte @Nullable [] envelope;

    /** A message whose body is the whole array. */
    public Payload(byte[] bytes) {
        this.bytes = bytes;
        this.length = bytes.length;
        this.view = ByteBuffer.wrap(bytes);
    }

    /** The array whose first {@link #length()} bytes are the body; it may be longer, and another one at the next send. */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes of the body. */
    public int length() {
        return length;
    }

    /** The body as a buffer over the same bytes, position 0, limit at the end; the same object while the array is the same. */
    public ByteBuffer buffer() {
        return view.clear().limit(length);
    }

    /**
     * The body as an array of exactly its length, for a client that knows no other: the array itself where that fits,
     * otherwise a copy, which the next body of that length overwrites.
     */
    public byte[] exact() {
        if (bytes.length == length) {
            return bytes;
        }
        if (exact.length != length) {
            exact = new byte[length];
        }
        System.arraycopy(bytes, 0, exact, 0, length);
        return exact;
    }

    /** The body as an array that is the caller's own. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Which of {@link ProducerSettings#variants()} this message is. */
    public int variant() {
        return variant;
    }

    /**
     * What travels beside the body as the property {@link #PROPERTY}, or null when there is none. Always so
     * or always not so for one producer ({@link ProducerSettings#envelopeProperty()}); the array stays the same.
     */
    public byte @Nullable [] envelope() {
        return envelope;
    }

    /** For the sender: another body, the first {@code count} bytes of {@code array}. */
    public void body(byte[] array, int count) {
        if (array != bytes) {
            bytes = array;
            view = ByteBuffer.wrap(array);
        }
        length = count;
    }

    /** For the sender: which variant comes next. */
    public void variant(int index) {
        variant = index;
    }

    /** For the sender: what travels as a property. */
    public void envelope(byte @Nullable [] property) {
        envelope = property;
    }
}
