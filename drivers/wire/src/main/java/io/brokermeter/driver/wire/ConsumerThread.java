package io.brokermeter.driver.wire;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The thread of a consumer whose listener may block, with the queue that the reader fills. Messages are delivered under the
 * consumer's turn, and what they led to is written when the queue is empty, every {@value #MESSAGES_PER_FLUSH} messages, a millisecond
 * after the first of it, and at the end.
 *
 * @param <T> a message, copied from the reader's buffer
 */
public final class ConsumerThread<T> {

    private static final int MESSAGES_PER_FLUSH = 16;
    /** What a slow listener has taken is not held back for the messages behind it. */
    private static final long LONGEST_UNFLUSHED = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_MILLIS = 100;

    private final BlockingQueue<T> queue;
    private final ReentrantLock turn;
    private final BooleanSupplier over;
    private final Consumer<T> delivery;
    private final Runnable flush;
    private final Thread thread;

    /**
     * @param name of the thread
     * @param room the most messages that wait; beyond that the reader does
     * @param turn held during each delivery
     * @param over whether the consumer ends; looked at after each delivery, and every 100 ms
     * @param delivery called with the turn; it looks for itself whether the consumer has ended meanwhile
     * @param flush writes what deliveries have appended
     */
    public ConsumerThread(
            String name, int room, ReentrantLock turn, BooleanSupplier over, Consumer<T> delivery, Runnable flush) {
        this.queue = new LinkedBlockingQueue<>(room);
        this.turn = turn;
        this.over = over;
        this.delivery = delivery;
        this.flush = flush;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::work);
    }

    /** Begins to deliver. */
    public void start() {
        thread.start();
    }

    /** Copies what a message holds; {@code null} stays {@code null}. */
    public static @Nullable ByteBuffer copyOf(@Nullable ByteBuffer bytes) {
        return bytes == null ? null : copy(bytes);
    }

    /** Copies what a message holds. */
    public static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    /** Hands a message over; waits while there is no room. False when the consumer ended meanwhile. Reader. */
    public boolean hand(T message) {
        try {
            while (!queue.offer(message, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (over.getAsBoolean()) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException("the reading thread was interrupted", e);
        }
    }

    /** The next message that was not delivered, null when there is none. */
    public @Nullable T poll() {
        return queue.poll();
    }

    private void work() {
        int unflushed = 0;
        long since = 0;
        try {
            while (!over.getAsBoolean()) {
                T message = queue.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                if (message == null) {
                    continue;
                }
                if (unflushed++ == 0) {
                    since = System.nanoTime();
                }
                turn.lock();
                try {
                    delivery.accept(message);
                } finally {
                    turn.unlock();
                }
                if (queue.isEmpty() || unflushed >= MESSAGES_PER_FLUSH || System.nanoTime() - since > LONGEST_UNFLUSHED) {
                    unflushed = 0;
                    flush.run();
                }
            }
            flush.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the thread has ended, unless it is the current one. */
    public void join(long nanos) {
        join(thread, nanos);
    }

    /** Waits until a thread has ended, unless it is the current one; an interrupt ends the wait. */
    public static void join(@Nullable Thread thread, long nanos) {
        if (thread == null || Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
