package io.brokermeter.driver.amqp091.lean;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.amqp091.model.Refusals;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * Receives on the connection's reading thread. What a read brought is acknowledged with one method after the listener has
 * returned from the last of it. A listener that may block, and a consumer with transactions, get a thread of their own.
 */
final class LeanConsumer extends Channel implements Consumer {

    private static final int MESSAGES_PER_FLUSH = 16;
    private static final int QUEUED = 1000;

    private final Destination destination;
    private final String queue;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final Refusals refusals;
    private final boolean autoAck;
    private final int prefetch;

    /** Held while the listener runs and until what it took is on its way to be acknowledged. */
    private final ReentrantLock turn = new ReentrantLock();

    // reader only
    private long deliveryTag;
    private boolean redelivered;

    // under turn
    private long acceptable;
    private int unacknowledged;

    private volatile boolean closing;
    private final @Nullable BlockingQueue<Item> items;
    private @Nullable Thread worker;

    private record Item(long tag, boolean redelivered, ByteBuffer body) {}

    LeanConsumer(
            LeanConnection connection, int number, Destination destination, String queue, ConsumerSettings settings,
            int prefetch, DeliveryListener listener) {
        super(connection, number);
        this.destination = destination;
        this.queue = queue;
        this.settings = settings;
        this.listener = listener;
        this.autoAck = connection.options.autoAck();
        this.refusals = new Refusals(connection.options.requeueShare());
        this.prefetch = prefetch;
        this.items = settings.mayBlock() || settings.ackMode() == AckMode.TRANSACTED ? new LinkedBlockingQueue<>(room()) : null;
    }

    /**
     * Room for all that may come ahead, so that the reader never waits for a thread that waits for an answer, which only the
     * reader can bring. With automatic acknowledgement that is without limit, but then nobody waits for answers.
     */
    private int room() {
        return autoAck ? QUEUED : prefetch == 0 ? Integer.MAX_VALUE : prefetch;
    }

    @Override
    String describe() {
        return destination.toString();
    }

    void begin(Map<String, Object> arguments) throws Exception {
        open();
        if (settings.ackMode() == AckMode.TRANSACTED) {
            call(Method.TX_SELECT, out -> { }, Method.TX_SELECT_OK);
        }
        if (!autoAck) {
            call(Method.BASIC_QOS, out -> out.putInt(0).putShort((short) prefetch).put((byte) 0), Method.BASIC_QOS_OK);
        }
        if (items != null) {
            worker = Thread.ofPlatform().daemon().name("brokermeter-amqp091-consumer").start(this::work);
        }
        call(Method.BASIC_CONSUME, out -> {
            out.putShort((short) 0);
            Fields.shortText(out, queue);
            Fields.shortText(out, "brokermeter");
            out.put((byte) (autoAck ? 2 : 0));
            Fields.table(out, arguments);
        }, Method.BASIC_CONSUME_OK);
    }

    @Override
    void method(int code, ByteBuffer in, int end) throws IOException {
        switch (code) {
            case Method.BASIC_DELIVER -> {
                in.position(in.position() + 1 + (in.get(in.position()) & 0xff));
                deliveryTag = in.getLong();
                redelivered = (in.get() & 1) != 0;
            }
            case Method.BASIC_CANCEL -> {
                if (!closing) {
                    listener.failed(new IOException("The broker ended the consumer on " + destination
                        + "; its queue " + queue + " was deleted or failed."));
                }
            }
            default -> super.method(code, in, end);
        }
    }

    @Override
    void content(ByteBuffer body) throws IOException {
        if (closing) {
            return;
        }
        BlockingQueue<Item> handed = items;
        if (handed != null) {
            hand(handed, new Item(deliveryTag, redelivered, ByteBuffer.allocate(body.remaining()).put(body).flip()));
            return;
        }
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
            if (closing) {
                return;
            }
        }
        deliver(deliveryTag, redelivered, body);
    }

    /** Waits for room: with automatic acknowledgement nothing but a full socket tells the broker to wait. */
    private void hand(BlockingQueue<Item> handed, Item item) throws IOException {
        try {
            while (!handed.offer(item, 100, TimeUnit.MILLISECONDS)) {
                if (closing) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            throw new IOException("the reading thread was interrupted", e);
        }
    }

    /** Under turn. */
    private void deliver(long delivery, boolean again, ByteBuffer body) {
        if (refusals.next(again)) {
            append(Method.BASIC_REJECT, delivery, 1);
            return;
        }
        listener.delivered(body, again);
        if (!autoAck) {
            acceptable = delivery;
            unacknowledged++;
            if (settings.ackMode() == AckMode.BATCH && unacknowledged >= settings.batch()) {
                acknowledge();
            }
        }
    }

    /** Appends an acknowledgement of what was delivered since the last one. Under turn. */
    private void acknowledge() {
        if (unacknowledged > 0) {
            append(Method.BASIC_ACK, acceptable, unacknowledged > 1 ? 1 : 0);
            unacknowledged = 0;
        }
    }

    private void append(int code, long delivery, int flag) {
        connection.lock.lock();
        try {
            if (!closed) {
                ByteBuffer out = connection.out.room(Incoming.OVERHEAD + 13);
                out.put((byte) 1).putShort((short) number).putInt(13).putInt(code).putLong(delivery).put((byte) flag)
                    .put((byte) 0xce);
                connection.out.appended();
            }
        } finally {
            connection.lock.unlock();
        }
    }

    @Override
    void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            if (settings.ackMode() == AckMode.AUTO) {
                acknowledge();
            }
            turn.unlock();
            connection.owe();
        }
    }

    private void work() {
        BlockingQueue<Item> handed = Objects.requireNonNull(items);
        int unflushed = 0;
        try {
            while (!closing) {
                Item item = handed.poll(100, TimeUnit.MILLISECONDS);
                if (item == null) {
                    continue;
                }
                turn.lock();
                try {
                    if (closing) {
                        return;
                    }
                    deliver(item.tag(), item.redelivered(), item.body());
                    if (settings.ackMode() == AckMode.AUTO) {
                        acknowledge();
                    } else if (settings.ackMode() == AckMode.TRANSACTED && unacknowledged >= settings.batch()) {
                        commit();
                    }
                } finally {
                    turn.unlock();
                }
                if (handed.isEmpty() || ++unflushed >= MESSAGES_PER_FLUSH) {
                    unflushed = 0;
                    connection.flush(false);
                }
            }
        } catch (InterruptedException | IOException e) {
            // the end of the channel or the connection, which is reported where it is noticed
        }
    }

    /** Under turn. */
    private void commit() {
        try {
            acknowledge();
            call(Method.TX_COMMIT, out -> { }, Method.TX_COMMIT_OK);
        } catch (Exception e) {
            if (!closed) {
                listener.failed(e);
            }
        }
    }

    @Override
    void ended(Throwable reason) {
        boolean expected = closing;
        closing = true;
        if (!expected && connection.alive()) {
            listener.failed(reason);
        }
    }

    @Override
    public void close() throws Exception {
        if (!closing) {
            closing = true;
            if (turn.tryLock(connection.closeLimitNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    finish();
                } finally {
                    turn.unlock();
                }
            }
        }
        shut();
        Thread thread = worker;
        if (thread != null && thread != Thread.currentThread()) {
            thread.join(TimeUnit.NANOSECONDS.toMillis(connection.closeLimitNanos()) + 1);
        }
    }

    /** Acknowledges or commits the tail; closing the channel carries it to the broker. Under turn. */
    private void finish() throws Exception {
        if (closed || unacknowledged == 0) {
            return;
        }
        acknowledge();
        if (settings.ackMode() == AckMode.TRANSACTED) {
            call(Method.TX_COMMIT, out -> { }, Method.TX_COMMIT_OK, connection.closeLimitNanos());
        }
    }
}
