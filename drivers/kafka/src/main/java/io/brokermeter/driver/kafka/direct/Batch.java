package io.brokermeter.driver.kafka.direct;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * Messages that go to one partition together: a record batch of format 2, with room before it for what precedes it in a request. Batches
 * are reused.
 *
 * <p>Threads: the sending thread claims an open batch for each message and releases it, so that another thread can close the batch between
 * two messages, when its time is up. A closed batch is guarded by its producer's lock; its bytes belong to the thread that writes it.
 */
final class Batch {

    /** The length in bytes of what precedes the records. */
    static final int HEADER = 61;

    private static final int LENGTH = 8;
    private static final int LEADER_EPOCH = 12;
    private static final int MAGIC = 16;
    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int BASE_TIMESTAMP = 27;
    private static final int MAX_TIMESTAMP = 35;
    private static final int PRODUCER_ID = 43;
    private static final int PRODUCER_EPOCH = 51;
    private static final int BASE_SEQUENCE = 53;
    private static final int COUNT = 57;
    private static final byte FORMAT = 2;

    private static final int OPEN = 0;
    private static final int CLAIMED = 1;
    private static final int CLOSED = 2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Batch.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int head;
    /** The bytes, with the least significant one of a number first, as in the numbers of records. */
    private final ByteBuffer bytes;
    /** The same bytes for the thread that writes; its position changes after the last byte is written, when the batch may be in use again. */
    private final ByteBuffer out;
    @SuppressWarnings("unused")
    private int state = CLOSED;

    // used by the sending thread while the batch is claimed, and by others when it is closed
    /** The index in the buffer behind the last record, and the one that no record may pass. */
    private int end;
    private int limit;
    private int count;
    private long baseTimestamp;
    private long maxTimestamp;
    private long firstNumber;
    private long lastNumber;
    /** The numbers of the messages, if they do not follow one another. */
    private long @Nullable [] numbers;
    private boolean gaps;
    private volatile long since;

    // guarded by the producer's lock
    int sequence;
    /** The identity of the producer under which it got its sequence number; -1 for none. */
    long numberedFor;
    int attempts;
    /** Whether it was ever given to a broker. */
    boolean given;
    /** The request whose answer it awaits; null if it awaits none. */
    @Nullable ProduceRequest request;
    /** Whether a thread is writing it. */
    boolean writing;
    /** Whether it is settled, so that it can be used again when it is not being written. */
    boolean over;
    /** Whether its messages are reported before an answer, because its time is up or it may not be sent again. */
    boolean expired;
    /** Why the last attempt failed; null while there is none, or its answer is awaited. */
    @Nullable Exception failure;

    /**
     * @param head number of bytes of the room before it
     * @param capacity number of bytes of the batch at most
     */
    Batch(int head, int capacity) {
        this.head = head;
        this.bytes = ByteBuffer.allocateDirect(head + capacity + Varint.SPARE).order(ByteOrder.LITTLE_ENDIAN);
        this.out = bytes.duplicate();
    }

    /** Returns the number of bytes that the batch may take. */
    int capacity() {
        return bytes.capacity() - head - Varint.SPARE;
    }

    /** Makes the batch empty, and claims it. Called by the sending thread. */
    void begin(int most, long timestamp, long nanos) {
        end = head + HEADER;
        limit = head + most;
        count = 0;
        gaps = false;
        baseTimestamp = timestamp;
        maxTimestamp = timestamp;
        since = nanos;
        attempts = 0;
        numberedFor = -1;
        given = false;
        over = false;
        expired = false;
        failure = null;
        STATE.setRelease(this, CLAIMED);
    }

    /** Returns whether the calling thread has the batch to itself until {@link #release} or {@link #close}; false if it is closed. */
    boolean claim() {
        return STATE.compareAndSet(this, OPEN, CLAIMED);
    }

    void release() {
        STATE.setRelease(this, OPEN);
    }

    /** Closes a batch that the calling thread has claimed. */
    void close() {
        STATE.setRelease(this, CLOSED);
    }

    /** Closes an open batch; returns false if it is claimed or closed. */
    boolean tryClose() {
        return STATE.compareAndSet(this, OPEN, CLOSED);
    }

    /** Returns the {@link System#nanoTime()} of its first message. Any thread. */
    long since() {
        return since;
    }

    int count() {
        return count;
    }

    /** Returns the number of bytes of the batch. */
    int length() {
        return end - head;
    }

    /** Returns the length of a record here, without the number that says it. */
    int content(byte[] key, int body, byte[] headers, byte @Nullable [] envelope, long timestamp) {
        return 1 + Varint.size(timestamp - baseTimestamp) + Varint.size(count) + key.length + Varint.size(body) + body
            + headers.length + (envelope == null ? 0 : Varint.size(envelope.length) + envelope.length);
    }

    boolean hasRoom(int content) {
        return limit - end >= Varint.size(content) + content;
    }

    /**
     * Appends a record. Called by the sending thread, which has claimed the batch and made sure that there is room.
     *
     * @param content what {@link #content} returned
     * @param key the encoded key
     * @param headers the encoded headers, up to the name of the last one if {@code envelope} is its value
     */
    void append(int content, byte[] key, byte[] body, int length, byte[] headers, byte @Nullable [] envelope, long timestamp,
            long number) {
        ByteBuffer to = bytes;
        int at = Varint.put(to, end, content);
        to.put(at, (byte) 0);
        at = Varint.put(to, at + 1, timestamp - baseTimestamp);
        at = Varint.put(to, at, count);
        to.put(at, key);
        at = Varint.put(to, at + key.length, length);
        to.put(at, body, 0, length);
        at += length;
        to.put(at, headers);
        at += headers.length;
        if (envelope != null) {
            at = Varint.put(to, at, envelope.length);
            to.put(at, envelope);
            at += envelope.length;
        }
        end = at;
        maxTimestamp = Math.max(maxTimestamp, timestamp);
        note(number);
    }

    private void note(long number) {
        if (count == 0) {
            firstNumber = number;
        } else if (gaps || number != lastNumber + 1) {
            long[] all = numbers;
            if (all == null || all.length <= count) {
                all = all == null ? new long[Math.max(64, 2 * count)] : Arrays.copyOf(all, 2 * count);
                numbers = all;
            }
            if (!gaps) {
                gaps = true;
                for (int i = 0; i < count; i++) {
                    all[i] = firstNumber + i;
                }
            }
            all[count] = number;
        }
        lastNumber = number;
        count++;
    }

    /** Returns whether the numbers of its messages follow one another. */
    boolean isRun() {
        return !gaps;
    }

    /** Returns the number of one of its messages. */
    long number(int index) {
        long[] all = numbers;
        return gaps && all != null ? all[index] : firstNumber + index;
    }

    /** Completes the batch with its header. Called by the thread that writes it. */
    void seal(CRC32C sum, long producerId, short epoch) {
        ByteBuffer to = out.clear();
        to.putLong(head, 0).putInt(head + LENGTH, end - head - LEADER_EPOCH).putInt(head + LEADER_EPOCH, -1).put(head + MAGIC, FORMAT)
            .putShort(head + ATTRIBUTES, (short) 0).putInt(head + LAST_OFFSET_DELTA, count - 1)
            .putLong(head + BASE_TIMESTAMP, baseTimestamp).putLong(head + MAX_TIMESTAMP, maxTimestamp)
            .putLong(head + PRODUCER_ID, producerId).putShort(head + PRODUCER_EPOCH, epoch)
            .putInt(head + BASE_SEQUENCE, producerId < 0 ? -1 : sequence).putInt(head + COUNT, count);
        sum.reset();
        sum.update(to.limit(end).position(head + ATTRIBUTES));
        to.putInt(head + CRC, (int) sum.getValue());
    }

    /** Returns the sealed batch with {@code before} bytes before it, which the caller may set. */
    ByteBuffer out(int before) {
        return out.clear().limit(end).position(head - before);
    }
}
