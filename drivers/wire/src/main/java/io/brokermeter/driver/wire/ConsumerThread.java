package io.brokermeter.driver.wire;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.brokermeter.spi.Bounded;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a consumer whose listener may block, with a queue that the reader thread fills. Messages are delivered while holding the
 * consumer's turn. The output of the deliveries is flushed when the queue is empty, after every {@value #MESSAGES_PER_FLUSH} messages, when
 * the first unflushed message is older than a millisecond, and at the end.
 *
 * @param <T> a message, copied from the reader's buffer
 */
public final class ConsumerThread<T> {

    private static final int MESSAGES_PER_FLUSH = 16;
    /** The longest time that acknowledgements of a slow listener wait for the messages behind them, in nanoseconds. */
    private static final long LONGEST_UNFLUSHED = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOOK_MILLIS = 100;
    private static final int MOST_PLATFORM = 64;
    private static final AtomicInteger PLATFORM = new AtomicInteger();

    private final BlockingQueue<T> queue;
    private final ReentrantLock turn;
    private final BooleanSupplier over;
    private final Consumer<T> delivery;
    private final Runnable flush;
    private final Thread thread;
    /** Whether the reader thread no longer waits for room in the queue. */
    private volatile boolean waitsNoMore;

    /**
     * @param name name of the thread
     * @param room capacity of the queue in messages; the reader waits while it is full
     * @param turn lock held during each delivery
     * @param over whether the consumer is closing; checked after each delivery, and at least every 100 ms while no message arrives
     * @param delivery called with {@code turn} held; must check by itself whether the consumer has been closed meanwhile
     * @param flush writes what the deliveries have appended
     */
    public ConsumerThread(
            String name, int room, ReentrantLock turn, BooleanSupplier over, Consumer<T> delivery, Runnable flush) {
        this.queue = new LinkedBlockingQueue<>(room);
        this.turn = turn;
        this.over = over;
        this.delivery = delivery;
        this.flush = flush;
        this.thread = unstarted(name, this::work);
    }

    /**
     * Returns a thread of a connection, to be started: one of the system, or a virtual one while there are {@value #MOST_PLATFORM} others. A
     * thread of the system begins a read some 30 us sooner, but thousands of them take gigabytes of stacks, which every collection walks.
     */
    public static Thread unstarted(String name, Runnable task) {
        if (PLATFORM.get() >= MOST_PLATFORM) {
            return Thread.ofVirtual().name(name).unstarted(task);
        }
        PLATFORM.incrementAndGet();
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                task.run();
            } finally {
                PLATFORM.decrementAndGet();
            }
        });
    }

    /** Starts to deliver messages. */
    public void start() {
        thread.start();
    }

    /** Returns a copy of the remaining bytes, or {@code null} for {@code null}. */
    public static @Nullable ByteBuffer copyOf(@Nullable ByteBuffer bytes) {
        return bytes == null ? null : copy(bytes);
    }

    /** Returns a copy of the remaining bytes. */
    public static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    /**
     * Enqueues a message and waits while the queue is full. Returns false without enqueuing if the consumer has ended or {@link #stopWaiting}
     * was called. Called by the reader thread.
     */
    public boolean hand(T message) {
        try {
            boolean queued = queue.offer(message);
            // checked before each wait: a listener that makes room within one would let the reader wait for every message
            while (!queued && !waitsNoMore && !over.getAsBoolean()) {
                queued = queue.offer(message, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
            return queued;
        } catch (InterruptedException e) {
            throw new IllegalStateException("the reading thread was interrupted", e);
        }
    }

    /** Keeps the reader thread from waiting for room in the queue from now on, so that it reaches the answer to a request. */
    public void stopWaiting() {
        waitsNoMore = true;
    }

    /** Removes and returns the next message that was not delivered, or null if there is none. */
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

    /** Waits until this consumer's thread has ended, at most about {@code nanos}. Returns at once on that thread itself. */
    public void join(long nanos) {
        join(thread, nanos);
    }

    /** Waits until a thread has ended, at most about {@code nanos}. Returns at once on that thread itself; an interrupt ends the wait. */
    public static void join(@Nullable Thread thread, long nanos) {
        if (thread == null || Thread.currentThread() == thread) {
            return;
        }
        try {
            Bounded.join(thread, Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
