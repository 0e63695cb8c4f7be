package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing side of a session. Threads append under the session's lock; whoever flushes writes what all of them appended,
 * outside that lock, so that a broker that does not read stops the writer only and never the reader.
 */
final class Outgoing {

    private static final int INITIAL = 32 * 1024;
    private static final int KEPT = 4 * 1024 * 1024;

    private final Wire wire;
    private final ReentrantLock lock;
    private final ReentrantLock writer = new ReentrantLock();
    private ByteBuffer filling = ByteBuffer.allocateDirect(INITIAL);
    private ByteBuffer writing = ByteBuffer.allocateDirect(INITIAL);
    /** All bytes ever handed to {@link #write()}; under the lock. */
    private long taken;
    private volatile int pending;
    private volatile long written;
    private volatile boolean broken;
    private volatile long writingSince;
    private volatile long lastWrite = System.nanoTime();

    /** @param lock the session's lock, which guards what is appended */
    Outgoing(Wire wire, ReentrantLock lock) {
        this.wire = wire;
        this.lock = lock;
    }

    /** The buffer to append to, with room for {@code bytes}. Under the lock; {@link #appended()} ends it. */
    ByteBuffer room(int bytes) {
        if (filling.remaining() < bytes) {
            long capacity = filling.capacity();
            while (capacity - filling.position() < bytes) {
                capacity *= 2;
            }
            filling = ByteBuffer.allocateDirect(Math.toIntExact(capacity)).put(filling.flip());
        }
        return filling;
    }

    /** Makes what was appended visible to {@link #flush()}. Under the lock. */
    void appended() {
        pending = filling.position();
    }

    /** Bytes that wait for {@link #flush()}. */
    int pending() {
        return pending;
    }

    /** The number of bytes that will have been written when all that is appended now is. Under the lock. */
    long end() {
        return taken + filling.position();
    }

    /** Bytes written since the beginning. */
    long written() {
        return written;
    }

    /** {@link System#nanoTime()} of the last completed write. */
    long lastWrite() {
        return lastWrite;
    }

    /** {@link System#nanoTime()} of the beginning of the write under way, 0 when there is none. */
    long writingSince() {
        return writingSince;
    }

    /**
     * Writes everything appended so far, or leaves it to the thread that is writing now. Blocks while the socket is full;
     * closing the wire ends it.
     */
    void flush() throws IOException {
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
     * @throws IOException also when it was another thread whose write failed
     */
    void flushFully() throws IOException {
        writer.lock();
        try {
            while (pending > 0 && !broken) {
                write();
            }
            if (broken) {
                throw new IOException("a write failed before");
            }
        } finally {
            writer.unlock();
        }
        flush();
    }

    private void write() throws IOException {
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
        int count = writing.remaining();
        // an interrupt would close the channel, with the other producers and consumers on it
        boolean interrupted = Thread.interrupted();
        writingSince = System.nanoTime() | 1;
        try {
            wire.write(writing);
            count(count);
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e;
        } finally {
            lastWrite = System.nanoTime();
            writingSince = 0;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        writing = writing.capacity() > KEPT ? ByteBuffer.allocateDirect(INITIAL) : writing.clear();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the writer's lock
    private void count(int count) {
        written += count;
    }
}
