package io.brokermeter.driver.amqp091.lean;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing side of a socket. Threads append under the connection's lock; whoever flushes writes what all of them
 * appended, outside that lock, so that a peer that does not read stops the writer only and never the reader.
 */
final class Outgoing {

    private static final int INITIAL = 32 * 1024;
    private static final int KEPT = 4 * 1024 * 1024;

    private final SocketChannel channel;
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

    /** @param lock the connection's lock, which guards what is appended */
    Outgoing(SocketChannel channel, ReentrantLock lock) {
        this.channel = channel;
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

    /** Makes what was appended visible to {@link #flush()}. Under the lock. */
    void appended() {
        pending = filling.position();
    }

    /** Bytes that wait for {@link #flush()}. */
    int pending() {
        return pending;
    }

    /** The number of bytes that will have been written when all that is appended now is. Takes the lock. */
    long end() {
        lock.lock();
        try {
            return taken + filling.position();
        } finally {
            lock.unlock();
        }
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
     * closing the channel ends it.
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
    void flushWhole() throws IOException {
        long wanted = end();
        while (written < wanted) {
            writer.lock();
            try {
                if (broken) {
                    throw new IOException("a write failed before");
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
            taken += full.position();
            pending = 0;
        } finally {
            lock.unlock();
        }
        writing.flip();
        int size = writing.remaining();
        // an interrupt would close the channel, with the other producers and consumers on it
        boolean interrupted = Thread.interrupted();
        writingSince = System.nanoTime() | 1;
        try {
            while (writing.hasRemaining()) {
                channel.write(writing);
            }
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
        }
        writing = writing.capacity() > KEPT ? ByteBuffer.allocateDirect(INITIAL) : writing.clear();
    }
}
