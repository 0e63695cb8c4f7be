package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.spi.AwakeDeadline;

/**
 * The writing side of a connection. Threads append whole frames under the connection's lock; the thread that flushes writes the output of
 * all threads, outside that lock, so that a peer that does not read blocks the writer and never the reader. Two buffers take turns: one is
 * filled while the other is written. A failed write is remembered: no write follows it.
 */
public final class WriteBuffer {

    /** The capacity in bytes of a connection that sends little: there may be thousands. It doubles as often as needed. */
    private static final int INITIAL = 512;
    /** A larger buffer is given up with the first smaller write: it may have held a backlog, while large messages need it again at once. */
    private static final int KEPT = 4 * 1024 * 1024;
    /** The most bytes of one write call: small enough to tell a peer that reads slowly from one that does not read. */
    private static final int PIECE = 256 * 1024;
    /** The interval in nanoseconds at which it is looked whether other threads have written. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Wire wire;
    private final ReentrantLock lock;
    private final ReentrantLock writer = new ReentrantLock();
    private ByteBuffer filling = ByteBuffer.allocateDirect(INITIAL);
    private ByteBuffer writing = ByteBuffer.allocateDirect(INITIAL);
    /** Number of bytes handed to a write so far; guarded by the connection's lock. */
    private long taken;
    private volatile int pending;
    private volatile long written;
    private volatile boolean broken;
    private volatile long writingSince;
    private volatile long lastWrite = System.nanoTime();

    /** @param lock the connection's lock, which guards the appended bytes */
    public WriteBuffer(Wire wire, ReentrantLock lock) {
        this.wire = wire;
        this.lock = lock;
    }

    /** Returns the buffer to append to, with room for {@code bytes} bytes. Call under the lock; {@link #appended()} ends the append. */
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

    /** Makes the appended bytes visible to the writing threads. Call under the lock. */
    public void appended() {
        pending = filling.position();
    }

    /** Appends the first {@code length} bytes, which must be whole frames. Call under the lock. */
    public void append(byte[] frames, int length) {
        room(length).put(frames, 0, length);
        appended();
    }

    /**
     * Appends a non-negative number in decimal digits, without creating an object. {@link #room} must have been made for up to 19 digits.
     */
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

    /** Returns the number of appended bytes that are not yet handed to a write. Any thread. */
    public int pending() {
        return pending;
    }

    /** Returns the position in the output stream of the first byte of the buffer that {@link #room} returns. Call under the lock. */
    public long start() {
        return taken;
    }

    /** Returns the position in the output stream behind everything appended so far. Call under the lock. */
    public long end() {
        return taken + filling.position();
    }

    /** Returns the number of bytes written so far. Any thread. */
    public long written() {
        return written;
    }

    /** Returns the {@link System#nanoTime()} of the end of the last write. Any thread. */
    public long lastWrite() {
        return lastWrite;
    }

    /** Returns the {@link System#nanoTime()} of the start or the last progress of the write in progress; 0 if there is none. Any thread. */
    public long writingSince() {
        return writingSince;
    }

    /** Returns the nanoseconds since the peer last took bytes of the write in progress; 0 if there is none. Any thread. */
    public long writingFor() {
        long since = writingSince;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    /**
     * Writes everything appended so far, or leaves it to the thread that is writing now. Blocks while the socket is full; closing the wire
     * aborts the write.
     *
     * @throws IOException if this write or an earlier one failed
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
     * Blocks like {@link #flush()} until everything appended so far is written, by this thread or by others.
     *
     * @throws IOException if a write failed, on any thread
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
        // write what other threads left to this one meanwhile
        flush();
    }

    /** Waits until other threads have written everything, or a write has failed. A stall of this process does not use up the limit. */
    void awaitOthers(long limitNanos) {
        AwakeDeadline deadline = new AwakeDeadline(limitNanos);
        while ((pending > 0 || writingSince != 0) && !broken && !deadline.isOver()) {
            LockSupport.parkNanos(LOOK);
        }
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
            writing = writing.capacity() > KEPT && size < KEPT ? ByteBuffer.allocateDirect(INITIAL) : writing.clear();
        }
    }
}
