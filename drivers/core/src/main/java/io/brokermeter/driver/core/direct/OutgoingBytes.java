package io.brokermeter.driver.core.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.Wire;
import io.netty.buffer.ByteBuf;

/**
 * The bytes waiting to be written to a socket. Any thread appends whole frames; the thread that flushes becomes the writer, and also writes
 * what others appended and flushed in the meantime. So frames stay whole and in order, and no thread waits for another one's system call
 * unless the buffer is full.
 *
 * <p>Two buffers take turns: one is filled while the other is written.
 */
final class OutgoingBytes {

    /** Size in bytes beyond which a grown buffer is not kept. */
    private static final int LARGEST_KEPT = 1 << 20;
    /** Initial size of a buffer in bytes; most connections never need more. */
    private static final int INITIAL = 4 << 10;

    private final Wire wire;
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();

    // guarded by lock
    private ByteBuffer filling;
    private ByteBuffer spare;
    private boolean writing;
    private boolean flushAsked;
    private boolean closed;

    /** Start of the write in progress as {@link System#nanoTime()}, 0 if there is none. */
    private volatile long writingSince;

    /** @param capacity bytes that may wait before an append writes them */
    OutgoingBytes(Wire wire, int capacity) {
        this.wire = wire;
        this.capacity = capacity;
        this.filling = ByteBuffer.allocateDirect(Math.min(INITIAL, capacity));
        this.spare = ByteBuffer.allocateDirect(Math.min(INITIAL, capacity));
    }

    /**
     * Appends one frame. If the buffer is full, writes the buffer, or blocks while another thread writes.
     *
     * @param flush whether the frame must be written at once
     * @param mayWait false for the reader thread, which must continue to read while another thread writes: the buffer grows instead
     */
    void append(ByteBuf frame, boolean flush, boolean mayWait) throws IOException {
        int length = frame.readableBytes();
        lock.lock();
        try {
            while (!closed && filling.remaining() < length) {
                if (filling.capacity() < capacity || filling.position() == 0 || (writing && !mayWait)) {
                    grow(length);
                } else if (writing) {
                    written.awaitUninterruptibly();
                } else {
                    write();
                }
            }
            if (closed) {
                return;
            }
            frame.getBytes(frame.readerIndex(), filling.limit(filling.position() + length));
            filling.limit(filling.capacity());
            if (flush) {
                writeNowOrSoon();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes what is buffered; if another thread is writing, that thread also writes this, and the call returns at once. */
    void flush() throws IOException {
        lock.lock();
        try {
            if (!closed && filling.position() > 0) {
                writeNowOrSoon();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long the write in progress has taken at time {@code now}, in nanoseconds; 0 if there is none. */
    long stalledNanos(long now) {
        long since = writingSince;
        return since == 0 ? 0 : now - since;
    }

    /** Ends all waiting; later frames are dropped. The caller closes the wire, which aborts a write in progress. */
    void close() {
        lock.lock();
        try {
            closed = true;
            written.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void grow(int length) {
        int size = Math.max(filling.capacity() * 2, filling.position() + length);
        filling = ByteBuffer.allocateDirect(size).put(filling.flip());
    }

    private void writeNowOrSoon() throws IOException {
        if (writing) {
            flushAsked = true;
        } else {
            write();
        }
    }

    /** Writes the buffer. Called and left with the lock held; releases it during each system call. */
    private void write() throws IOException {
        do {
            flushAsked = false;
            var full = filling.flip();
            filling = spare;
            writing = true;
            lock.unlock();
            try {
                writingSince = System.nanoTime() | 1;
                wire.write(full);
            } finally {
                writingSince = 0;
                lock.lock();
                writing = false;
                spare = full.capacity() > LARGEST_KEPT ? ByteBuffer.allocateDirect(INITIAL) : full.clear();
                written.signalAll();
            }
        } while (flushAsked && filling.position() > 0 && !closed);
    }
}
