package io.brokermeter.cluster;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jspecify.annotations.Nullable;

/** The queue of messages to one member. A thread of its own sends them, as fast as the member takes them. */
final class Outbox {

    /** The most that may wait, in bytes; a single message of any permitted length always may. */
    static final long MOST = 64L << 20;

    private final JChannel channel;
    private final Address to;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean closed;

    Outbox(JChannel channel, Address to) {
        this.channel = channel;
        this.to = to;
        Thread.ofVirtual().name("cluster outbox").start(this::work);
    }

    /** Returns the number of bytes that wait. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** The result of adding a message. */
    enum Taken {
        YES, FULL, GONE
    }

    /** @param patience the longest time to wait for room */
    Taken add(byte[] message, Duration patience) throws InterruptedException {
        long nanos = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (!closed && bytes > 0 && bytes + message.length > MOST) {
                if (nanos <= 0) {
                    return Taken.FULL;
                }
                nanos = changed.awaitNanos(nanos);
            }
            if (closed) {
                return Taken.GONE;
            }
            waiting.add(message);
            bytes += message.length;
            changed.signalAll();
            return Taken.YES;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all messages are handed to the network, for {@code millis} at most. */
    void drain(long millis) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (!closed && bytes > 0 && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        try {
            while (true) {
                byte[] next = next();
                if (next == null) {
                    return;
                }
                for (byte[] frame : Frames.of(next)) {
                    if (isClosed()) {
                        return;
                    }
                    channel.send(new BytesMessage(to, frame));
                }
                sent(next.length);
            }
        } catch (Exception e) {
            // the channel is closed, so the member is gone
            close();
        }
    }

    private byte @Nullable [] next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && waiting.isEmpty()) {
                changed.await();
            }
            return closed ? null : waiting.remove();
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void sent(int length) {
        lock.lock();
        try {
            bytes -= length;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
