package io.brokermeter.spi;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A message to be sent, in buffers that its sender reuses for the next message. A driver copies what it must keep before
 * {@link Producer#send} returns, and changes nothing. Not thread-safe.
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
    private long sentAt;
    private @Nullable ByteBuffer pattern;
    private int patternFrom;

    /** Creates a message whose body is the whole array, which is not copied. */
    public Payload(byte[] bytes) {
        this.bytes = bytes;
        this.length = bytes.length;
        this.view = ByteBuffer.wrap(bytes);
    }

    /** Returns the array whose first {@link #length()} bytes are the body; it may be longer, and another array at the next send. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the length of the body in bytes. */
    public int length() {
        return length;
    }

    /** Returns the body as a buffer over the same bytes, position 0, limit at the end; the same object while the array is the same. */
    public ByteBuffer buffer() {
        return view.clear().limit(length);
    }

    /**
     * Returns the body as an array of exactly its length, for a client that takes whole arrays only: {@link #bytes()} itself where it
     * has that length, otherwise a copy, which the next body of that length overwrites.
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

    /** Returns the body as a new array that the caller owns. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Returns the index of this message's variant in {@link ProducerSettings#variants()}. */
    public int variant() {
        return variant;
    }

    /**
     * Returns the value of the property {@link #PROPERTY}, which is sent beside the body; null when there is none. Either all messages of
     * a producer have it or none has ({@link ProducerSettings#envelopeProperty()}); the array stays the same.
     */
    public byte @Nullable [] envelope() {
        return envelope;
    }

    /**
     * Returns when this message is sent, in milliseconds since the epoch, so that a driver that writes the time into each message need not
     * read a clock again: the time that its sender noted, or the present time if it noted none.
     */
    public long sentMillis() {
        long nanos = sentAt;
        return nanos == 0 ? System.currentTimeMillis() : nanos / 1_000_000;
    }

    /** Sets when the next message is sent, in nanoseconds since the epoch. For the sender only. */
    public void sentAt(long epochNanos) {
        sentAt = epochNanos;
    }

    /**
     * Returns what the body repeats from byte {@link #patternFrom()} on, null if it repeats nothing: byte {@code i} of the body is byte
     * {@code i % capacity()} of this buffer, whose position and limit mean nothing. It is outside the heap, and its bytes never change, so
     * that a driver may write a large body from where it lies instead of copying it, also after {@link Producer#send} has returned.
     */
    public @Nullable ByteBuffer pattern() {
        return pattern;
    }

    /** Returns the first byte of the body that repeats {@link #pattern()}; the bytes before it are found in {@link #bytes()} alone. */
    public int patternFrom() {
        return patternFrom;
    }

    /** Sets the body to the first {@code count} bytes of {@code array}, which is not copied. For the sender only. */
    public void body(byte[] array, int count) {
        if (array != bytes) {
            bytes = array;
            view = ByteBuffer.wrap(array);
        }
        length = count;
    }

    /** Sets the index of the next message's variant. For the sender only. */
    public void variant(int index) {
        variant = index;
    }

    /** Sets what all bodies repeat from byte {@code from} on; the buffer must be outside the heap. For the sender only. */
    public void pattern(ByteBuffer repeated, int from) {
        pattern = repeated;
        patternFrom = from;
    }

    /** Sets the value of the property {@link #PROPERTY}, null for none; the array is not copied. For the sender only. */
    public void envelope(byte @Nullable [] property) {
        envelope = property;
    }
}
