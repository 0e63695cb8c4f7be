package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing side of a connection. Threads append whole frames under the connection's lock; the thread that flushes writes
 * what all of them appended, outside that lock, so that a peer that does not read stops the writer and never the reader. Two
 * buffers take turns: one is filled while the other is written. A failed write is remembered: no write follows it.
 */
public final class WriteBuffer {

    private static final int INITIAL = 32 * 1024;
    private static final int KEPT = 4 * 1024 * 1024;
    /** What is written at a time, so that a peer that reads slowly differs from one that does not read. */
    private static final int PIECE = 256 * 1024;

    private final Wire wire;
    private final ReentrantLock lock;
    private final ReentrantLock writer = new ReentrantLock();
    private ByteBuffer filling = ByteBuffer.allocateDirect(INITIAL);
    private ByteBuffer writing = ByteBuffer.allocateDirect(INITIAL);
    /** Bytes handed to a write so far; under the lock. */
    private long taken;
    private volatile int pending;
    private volatile long written;
    private volatile boolean broken;
    private volatile long writingSince;
    private volatile long lastWrite = System.nanoTime();

    /** @param lock the connection's lock, which guards what is appended */
    public WriteBuffer(Wire wire, ReentrantLock lock) {
        this.wire = wire;
        this.lock = lock;
    }

    /** The buffer to append to, with room for {@code bytes}. Under the lock; {@link #appended()} ends the append. */
    public ByteBuffer room(int bytes) {
        if (filling.remaining() < bytes) {
            long capacity = filling.capacity();
            while (capacity - filling.position() < bytes) {
                capacity *= 2;
            }
            filling = ByteBuffer.allocateDirect(Math.toIntExact(capacity)).put(filling.flip());
        }
        return filling;
    }

    /** Makes what was appended visible to threads that write. Under the lock. */
    public void appended() {
        pending = filling.position();
    }

    /** Appends the first {@code length} bytes, which are whole frames. Under the lock. */
    public void append(byte[] frames, int length) {
        room(length).put(frames, 0, length);
        appended();
    }

    /** Puts a number from 0 up in decimal digits, without an object, where {@link #room} is for 19 of them. */
    public static ByteBuffer decimal(ByteBuffer out, long number) {
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        int end = out.position() + digits;
        long rest = number;
        for (int i = end - 1; i >= end - digits; i--) {
            out.put(i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        return out.position(end);
    }

    /** Bytes that wait to be written. Any thread. */
    public int pending() {
        return pending;
    }

    /** The place in the stream of the first byte of the buffer that {@link #room} returns. Under the lock. */
    public long start() {
        return taken;
    }

    /** The bytes that will have been written once everything appended so far is. Under the lock. */
    public long end() {
        return taken + filling.position();
    }

    /** Bytes written so far. Any thread. */
    public long written() {
        return written;
    }

    /** {@link System#nanoTime()} of the end of the last write. Any thread. */
    public long lastWrite() {
        return lastWrite;
    }

    /** {@link System#nanoTime()} of the start of the write under way, or of its last progress; 0 when there is none. Any thread. */
    public long writingSince() {
        return writingSince;
    }

    /**
     * Writes everything appended so far, or leaves it to the thread that writes now. Blocks while the socket is full; closing
     * the wire ends that.
     *
     * @throws IOException when the write fails, or one before did
     */
    public void flush() throws IOException {
        while (pending > 0 && writer.tryLock()) {
            try {
                write();
            } finally {
                writer.unlock();
            }
        }
    }

    /**
     * Returns when everything appended so far is written, by this thread or by others. Blocks like {@link #flush()}.
     *
     * @throws IOException when a write failed, whichever thread's it was
     */
    public void flushAll() throws IOException {
        long wanted;
        lock.lock();
        try {
            wanted = end();
        } finally {
            lock.unlock();
        }
        while (written < wanted) {
            writer.lock();
            try {
                write();
            } finally {
                writer.unlock();
            }
        }
        // what others left to this thread meanwhile
        flush();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the writer's lock
    private void write() throws IOException {
        if (broken) {
            throw new IOException("a write failed before");
        }
        lock.lock();
        try {
            ByteBuffer full = filling;
            filling = writing;
            writing = full;
            taken += full.position();
            pending = 0;
        } finally {
            lock.unlock();
        }
        writing.flip();
        int size = writing.remaining();
        // an interrupt would close the channel, and with it the other producers and consumers of the connection
        boolean interrupted = Thread.interrupted();
        writingSince = System.nanoTime() | 1;
        try {
            for (int left = size; left > PIECE; left -= PIECE) {
                wire.write(writing.limit(writing.position() + PIECE));
                writingSince = System.nanoTime() | 1;
            }
            wire.write(writing.limit(size));
            written += size;
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e;
        } finally {
            lastWrite = System.nanoTime();
            writingSince = 0;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            writing = writing.capacity() > KEPT ? ByteBuffer.allocateDirect(INITIAL) : writing.clear();
        }
    }
}
