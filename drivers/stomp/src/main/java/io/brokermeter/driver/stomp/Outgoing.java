package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing side of a connection. Threads append whole frames under the connection's lock; whoever writes takes along
 * what all of them appended, outside that lock, so that a peer that does not read stops the writer only and never the
 * reader. Two buffers take turns: one is filled while the other is written.
 */
final class Outgoing {

    private static final int INITIAL = 128 * 1024;
    private static final int KEPT = 4 * 1024 * 1024;

    private final Transport transport;
    private final ReentrantLock lock;
    private final ReentrantLock writer = new ReentrantLock();
    private ByteBuffer filling = ByteBuffer.allocateDirect(INITIAL);
    private ByteBuffer writing = ByteBuffer.allocateDirect(INITIAL);
    private int turn;
    private volatile int pending;
    private volatile long appended;
    private volatile long written;
    private volatile boolean broken;
    private volatile long writingSince;
    private volatile long lastWrite = System.nanoTime();

    /** @param lock the connection's lock, which guards what is appended */
    Outgoing(Transport transport, ReentrantLock lock) {
        this.transport = transport;
        this.lock = lock;
    }

    /** The buffer to append to, with room for {@code bytes}. Under the lock; {@link #appended()} ends it. */
    ByteBuffer room(int bytes) {
        if (filling.remaining() < bytes) {
            int capacity = filling.capacity();
            while (capacity - filling.position() < bytes) {
                capacity = Math.multiplyExact(capacity, 2);
            }
            filling = ByteBuffer.allocateDirect(capacity).put(filling.flip());
        }
        return filling;
    }

    /** Makes what was appended visible to those who write. Under the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    void appended() {
        int position = filling.position();
        appended += position - pending;
        pending = position;
    }

    /** Changes when what was appended begins to be written, which ends the meaning of positions. Under the lock. */
    int turn() {
        return turn;
    }

    /** Bytes that wait to be written. */
    int pending() {
        return pending;
    }

    /** Bytes appended so far. */
    long total() {
        return appended;
    }

    /** Bytes written so far. */
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
     * closing the transport ends it.
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

    /** Returns when everything appended so far is written. Blocks like {@link #flush()}. */
    void drain() throws IOException {
        long wanted = appended;
        while (written < wanted) {
            writer.lock();
            try {
                if (broken) {
                    throw new IOException("The connection is broken.");
                }
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
        lock.lock();
        try {
            ByteBuffer full = filling;
            filling = writing;
            writing = full;
            pending = 0;
            turn++;
        } finally {
            lock.unlock();
        }
        writing.flip();
        int size = writing.remaining();
        // an interrupt would close the channel, with the other producers and consumers on it
        boolean interrupted = Thread.interrupted();
        writingSince = System.nanoTime() | 1;
        try {
            transport.write(writing);
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
