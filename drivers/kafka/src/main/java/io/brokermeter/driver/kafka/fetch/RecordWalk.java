package io.brokermeter.driver.kafka.fetch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.zip.CRC32C;

import io.brokermeter.spi.Payload;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;

/**
 * Goes through fetched record batches where they lie in the buffer, without an object for each message. Batches that are compressed, or of an
 * older format, are left to Kafka's own classes. Used by one thread at a time.
 */
final class RecordWalk {

    private static final int LENGTH = 8;
    /** The number of bytes that the length of a batch does not count. */
    private static final int UNCOUNTED = 12;
    private static final int MAGIC = 16;
    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int PRODUCER_ID = 43;
    private static final int COUNT = 57;
    private static final int RECORDS = 61;
    private static final byte FORMAT = 2;
    private static final int COMPRESSED = 7;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;
    private static final short ABORT = 0;
    private static final int LONGEST_NUMBER = 70;
    /** The length of an aborted transaction: its producer and its first offset. */
    static final int TRANSACTION = 16;

    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.UTF_8);
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final boolean checks;
    private final CRC32C sum = new CRC32C();
    private final Set<Long> aborted = new HashSet<>();

    // the part
    private @Nullable FetchedPart part;
    private ByteBuffer in = EMPTY;
    private ByteBuffer body = EMPTY;
    private ByteBuffer envelope = EMPTY;
    /** Number of its aborted transactions whose first offset is reached. */
    private int transactions;
    private long next;
    private boolean stopped;

    // the present batch
    private int batch;
    private boolean inBatch;
    private int end;
    private long first;
    private long last;
    /** Number of records that are left. */
    private int left;
    private int at;
    /** The present record. */
    private long offset;
    private boolean beside;
    /** The records, if Kafka's classes read them. */
    private Iterator<? extends Record> others = Collections.emptyIterator();

    /** @param checks whether the check sum of each batch is compared */
    RecordWalk(boolean checks) {
        this.checks = checks;
    }

    /** Returns the offset behind the last whole batch in a part of a buffer; {@code position} if there is none. */
    static long behind(ByteBuffer in, int from, int to, long position) {
        long next = position;
        for (int batch = from; isWhole(in, batch, to); batch += UNCOUNTED + in.getInt(batch + LENGTH)) {
            next = last(in, batch) + 1;
        }
        return Math.max(next, position);
    }

    private static boolean isWhole(ByteBuffer in, int batch, int to) {
        if (to - batch <= MAGIC) {
            return false;
        }
        int length = in.getInt(batch + LENGTH);
        if (length <= 0 || in.get(batch + MAGIC) == FORMAT && length < RECORDS - UNCOUNTED) {
            throw new CorruptRecordException("a batch at offset " + in.getLong(batch) + " cannot be read");
        }
        return length <= to - batch - UNCOUNTED;
    }

    /** Returns the last offset of a batch. Older formats have it, or a single message, where the first one is now. */
    private static long last(ByteBuffer in, int batch) {
        return in.getLong(batch) + (in.get(batch + MAGIC) == FORMAT ? in.getInt(batch + LAST_OFFSET_DELTA) : 0);
    }

    /** Begins with a part of an answer. */
    void begin(FetchAnswer answer, FetchedPart of) {
        part = of;
        in = answer.in.buffer();
        body = answer.body;
        envelope = answer.envelope;
        transactions = 0;
        aborted.clear();
        sortTransactions(of);
        next = of.position;
        batch = of.from;
        inBatch = false;
        left = 0;
        others = Collections.emptyIterator();
    }

    /** Puts the aborted transactions of a part, which a broker names in the order of their ends, in the order of their first offsets. */
    private void sortTransactions(FetchedPart of) {
        for (int i = 1; i < of.transactions; i++) {
            int free = of.aborted + TRANSACTION * i;
            long producer = in.getLong(free);
            long begin = in.getLong(free + Long.BYTES);
            for (; free > of.aborted && in.getLong(free - Long.BYTES) > begin; free -= TRANSACTION) {
                in.putLong(free, in.getLong(free - TRANSACTION)).putLong(free + Long.BYTES, in.getLong(free - Long.BYTES));
            }
            in.putLong(free, producer).putLong(free + Long.BYTES, begin);
        }
    }

    /** Returns whether there may be more messages in the part. */
    boolean isOpen() {
        return part != null;
    }

    /** Ends the part. */
    void end() {
        part = null;
    }

    private FetchedPart open() {
        FetchedPart present = part;
        if (present == null) {
            throw new IllegalStateException();
        }
        return present;
    }

    int partition() {
        return open().partition;
    }

    int turn() {
        return open().turn;
    }

    /** Returns the offset of the first message that was not taken, behind all batches if all were taken. */
    long next() {
        return next;
    }

    /** Returns whether the sink did not take a message in the last walk. */
    boolean isStopped() {
        return stopped;
    }

    /**
     * Gives messages of the part to a sink, and ends the part behind its last batch.
     *
     * @return number of messages that were taken
     */
    int walk(int most, FetchSink sink) {
        FetchedPart of = open();
        stopped = false;
        int taken = 0;
        while (taken < most && !stopped) {
            if (left == 0 && !nextBatch(of)) {
                end();
                break;
            }
            if (left > 0) {
                taken += others.hasNext() ? other(of, sink) : record(of, sink);
            }
        }
        return taken;
    }

    private CorruptRecordException unreadable(FetchedPart of, @Nullable Exception cause) {
        return new CorruptRecordException("a batch at offset " + in.getLong(batch) + " of partition " + of.partition + " cannot be read",
            cause);
    }

    // ---- batches

    /** Moves to the next batch, which may have no message; returns false if there is none. */
    private boolean nextBatch(FetchedPart of) {
        if (inBatch) {
            next = Math.max(next, last + 1);
            batch = end;
            inBatch = false;
        }
        if (!isWhole(in, batch, of.to)) {
            return false;
        }
        inBatch = true;
        end = batch + UNCOUNTED + in.getInt(batch + LENGTH);
        first = in.getLong(batch);
        last = last(in, batch);
        if (in.get(batch + MAGIC) != FORMAT) {
            leave(checks);
            return true;
        }
        if (checks) {
            check(of);
        }
        for (; transactions < of.transactions && in.getLong(of.aborted + TRANSACTION * transactions + Long.BYTES) <= last; transactions++) {
            aborted.add(in.getLong(of.aborted + TRANSACTION * transactions));
        }
        short attributes = in.getShort(batch + ATTRIBUTES);
        if ((attributes & CONTROL) != 0) {
            endTransaction();
        } else if ((attributes & TRANSACTIONAL) == 0 || !aborted.contains(in.getLong(batch + PRODUCER_ID))) {
            if ((attributes & COMPRESSED) == 0) {
                at = batch + RECORDS;
                left = in.getInt(batch + COUNT);
            } else {
                leave(false);
            }
        }
        return true;
    }

    private void check(FetchedPart of) {
        sum.reset();
        sum.update(body.clear().limit(end).position(batch + ATTRIBUTES));
        if ((int) sum.getValue() != in.getInt(batch + CRC)) {
            throw new CorruptRecordException(
                "a batch at offset " + first + " of partition " + of.partition + " has a wrong check sum");
        }
    }

    /** Leaves the present batch to Kafka's classes. */
    private void leave(boolean toCheck) {
        MutableRecordBatch foreign = MemoryRecords.readableRecords(in.slice(batch, end - batch)).batches().iterator().next();
        if (toCheck) {
            foreign.ensureValid();
        }
        others = foreign.iterator();
        left = others.hasNext() ? 1 : 0;
    }

    /** Forgets that a transaction was aborted, as the marker of its end says so. */
    private void endTransaction() {
        if (in.getInt(batch + COUNT) == 0) {
            return; // the cleaner of a compacted topic has taken the marker, after the messages of the transaction
        }
        at = batch + RECORDS;
        number(); // length
        at++;
        number();
        number();
        number(); // length of the key, which has a version and then the kind
        if (in.getShort(at + Short.BYTES) == ABORT) {
            aborted.remove(in.getLong(batch + PRODUCER_ID));
        }
    }

    // ---- messages

    /** Gives the next record to the sink, unless it precedes the position; returns the number of messages that were taken. */
    private int record(FetchedPart of, FetchSink sink) {
        try {
            readRecord(of);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw unreadable(of, e);
        }
        return offset < next ? 0 : give(of, offset, body, beside ? envelope : null, sink);
    }

    private void readRecord(FetchedPart of) {
        left--;
        int length = (int) number();
        int behind = at + length;
        if (length < 0 || behind > end) {
            throw unreadable(of, null);
        }
        at++; // attributes, of which there are none
        number(); // time
        offset = first + number();
        int key = (int) number();
        at += Math.max(0, key);
        int size = Math.max(0, (int) number());
        body.clear().limit(at + size).position(at);
        at += size;
        beside = findEnvelope();
        if (at > behind) {
            throw unreadable(of, null);
        }
        at = behind;
    }

    /** Reads the headers; returns whether the envelope is the value of one of them. */
    private boolean findEnvelope() {
        boolean found = false;
        for (long headers = number(); headers > 0; headers--) {
            int name = (int) number();
            boolean is = name == PROPERTY.length;
            for (int i = 0; is && i < name; i++) {
                is = in.get(at + i) == PROPERTY[i];
            }
            at += name;
            int size = (int) number();
            if (is && size >= 0) {
                envelope.clear().limit(at + size).position(at);
                found = true;
            }
            at += Math.max(0, size);
        }
        return found;
    }

    private long number() {
        long number = 0;
        int shift = 0;
        byte bits;
        do {
            bits = in.get(at++);
            number |= (long) (bits & 0x7f) << shift;
            shift += 7;
        } while (bits < 0 && shift < LONGEST_NUMBER);
        return number >>> 1 ^ -(number & 1);
    }

    private int other(FetchedPart of, FetchSink sink) {
        Record record = others.next();
        left = others.hasNext() ? 1 : 0;
        if (record.offset() < next) {
            return 0;
        }
        ByteBuffer value = record.value();
        ByteBuffer with = null;
        for (Header header : record.headers()) {
            with = header.key().equals(Payload.PROPERTY) && header.value() != null ? ByteBuffer.wrap(header.value()) : with;
        }
        return give(of, record.offset(), value == null ? EMPTY : value, with, sink);
    }

    private int give(FetchedPart of, long offsetOf, ByteBuffer value, @Nullable ByteBuffer with, FetchSink sink) {
        stopped = !sink.take(of.partition, offsetOf, value, with);
        if (stopped) {
            next = offsetOf;
            end();
            return 0;
        }
        next = offsetOf + 1;
        return 1;
    }
}
