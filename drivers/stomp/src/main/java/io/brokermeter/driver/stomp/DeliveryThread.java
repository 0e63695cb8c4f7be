package io.brokermeter.driver.stomp;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.brokermeter.driver.wire.ConsumerThread;
import org.jspecify.annotations.Nullable;

/** A consumer's own thread for its deliveries, with a bound of the bytes that are queued for it. */
final class DeliveryThread {

    /** Bytes that may be queued for the consumer's own thread before the reader waits, since a broker without limits may send ahead. */
    private static final long MOST_WAITING = 64L * 1024 * 1024;
    /**
     * The same limit while a request waits for its answer, which follows the messages. A client that commits continually waits for an
     * answer most of the time.
     */
    private static final long MOST_BEFORE_ANSWERS = 4 * MOST_WAITING;

    /** A message queued for the consumer's own thread, with the id that acknowledges it. */
    record Item(@Nullable ByteBuffer envelope, ByteBuffer body, boolean redelivered, byte[] id, int size) {}

    private final StompConnection connection;
    private final BooleanSupplier over;
    private final Consumer<Item> delivery;
    private final ConsumerThread<Item> thread;
    private final AtomicLong waiting = new AtomicLong();

    /**
     * @param turn held during each delivery
     * @param over whether the thread is to end, and nothing waits for it any more
     */
    DeliveryThread(StompConnection connection, ReentrantLock turn, BooleanSupplier over, Consumer<Item> delivery) {
        this.connection = connection;
        this.over = over;
        this.delivery = delivery;
        this.thread = new ConsumerThread<>("brokermeter-stomp-consumer", Integer.MAX_VALUE, turn, over, this::take, connection::flush);
    }

    void start() {
        thread.start();
    }

    /**
     * Queues a message, and waits while too many bytes are queued. While a request waits for its answer, for example this consumer's
     * commit, the limit is higher, since only the reader receives the answer.
     */
    void hand(Item item) {
        long bytes = waiting.addAndGet(item.body().capacity());
        thread.hand(item);
        while (bytes > MOST_WAITING && !over.getAsBoolean() && (bytes > MOST_BEFORE_ANSWERS || !connection.receipts.areAwaited())) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            bytes = waiting.get();
        }
    }

    private void take(Item item) {
        waiting.addAndGet(-item.body().capacity());
        delivery.accept(item);
    }

    /** Returns a message that is still queued, null if there is none. Call after {@link #join}. */
    @Nullable Item poll() {
        return thread.poll();
    }

    /** Waits until the thread has ended, at most about {@code nanos}. */
    void join(long nanos) {
        thread.join(nanos);
    }
}
