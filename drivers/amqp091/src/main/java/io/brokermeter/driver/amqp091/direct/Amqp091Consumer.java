package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.driver.amqp091.model.PollLoop;
import io.brokermeter.driver.amqp091.model.Rejection;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the connection's reader thread. All messages of one read are acknowledged by one method after the listener
 * has returned from the last of them. If the listener may block, and for a consumer with transactions, deliveries run on a thread of their
 * own. A polled consumer requests each message and delivers it on the polling thread.
 */
final class Amqp091Consumer extends Channel implements Consumer {

    private static final int QUEUED = 1000;
    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.US_ASCII);
    private final Destination destination;
    private final String queue;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final boolean autoAck;
    private final boolean settles;
    private final int prefetch;

    /** Held while the listener runs, and until the acknowledgement of its messages has been appended. */
    private final ReentrantLock turn = new ReentrantLock();

    // used by the reader thread
    private long deliveryTag;
    private boolean redelivered;

    // guarded by turn
    private long acceptable;
    private int unacknowledged;

    private volatile boolean closing;
    /** Whether the listener accepts no more messages; those it has not accepted go back when the channel is closed. */
    private volatile boolean left;
    private final @Nullable ConsumerThread<Item> thread;

    /** Whether closing acknowledged anything; used by the closing thread. */
    private boolean tail;
    /** Whether any message was ever acknowledged; guarded by turn. */
    private boolean accepted;

    // the envelope of the message being received; used by the reader until the message is handed over
    private ByteBuffer envelopeBuffer = ByteBuffer.allocate(64);
    private int envelopeSize = -1;

    // polling: written by the reader before the answer is signalled, read by the polling thread afterwards
    private final java.util.function.Consumer<ByteBuffer> getArguments;
    private final boolean deletes;
    private final String late;
    private volatile Answer answer = Answer.NONE;
    private final BooleanSupplier isAnswered = () -> answer != Answer.NONE || closed;
    private ByteBuffer fetched = ByteBuffer.allocate(0);

    /** The result of a request for a message. */
    private enum Answer { NONE, EMPTY, MESSAGE }

    private record Item(long tag, boolean redelivered, @Nullable ByteBuffer envelope, ByteBuffer body) {}

    Amqp091Consumer(
            Amqp091Connection connection, int number, Destination destination, String queue, ConsumerSettings settings,
            int prefetch, DeliveryListener listener) {
        super(connection, number);
        this.destination = destination;
        this.queue = queue;
        this.settings = settings;
        this.listener = listener;
        this.autoAck = connection.options.autoAck;
        this.settles = settings.settles() && !autoAck;
        this.prefetch = prefetch;
        this.getArguments = out -> {
            out.putShort((short) 0);
            Fields.shortText(out, queue);
            out.put((byte) (autoAck ? 1 : 0));
        };
        // A queue that nobody consumes from does not end with its consumers.
        this.deletes = settings.polling() && destination.isTopic() && settings.subscription() == null;
        this.late = "The broker did not answer a request for a message on " + destination;
        this.thread = !settings.polling() && (settings.mayBlock() || settings.ackMode() == AckMode.TRANSACTED)
            ? new ConsumerThread<>("brokermeter-amqp091-consumer", room(settings), turn, () -> closing || left, this::take,
                connection::flush)
            : null;
    }

    /**
     * Returns the queue's capacity: all messages that may be prefetched, so that the reader never waits for a thread that waits for an
     * answer, which only the reader can receive. With automatic acknowledgement the prefetch has no limit, but then no thread waits for
     * answers.
     */
    private int room(ConsumerSettings settings) {
        return autoAck ? settings.fit(QUEUED) : prefetch == 0 ? Integer.MAX_VALUE : prefetch;
    }

    @Override
    String describe() {
        return destination.toString();
    }

    void begin(Map<String, Object> arguments) throws Exception {
        open();
        if (settings.ackMode() == AckMode.TRANSACTED) {
            call(Method.TX_SELECT, out -> {}, Method.TX_SELECT_OK);
        }
        if (settings.polling()) {
            return;
        }
        if (!autoAck) {
            call(Method.BASIC_QOS, out -> out.putInt(0).putShort((short) prefetch).put((byte) 0), Method.BASIC_QOS_OK);
        }
        if (thread != null) {
            thread.start();
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
            case Method.BASIC_GET_OK -> {
                deliveryTag = in.getLong();
                redelivered = (in.get() & 1) != 0;
            }
            case Method.BASIC_GET_EMPTY -> answer(Answer.EMPTY);
            case Method.BASIC_CANCEL -> {
                if (!closing) {
                    listener.failed(new IOException("The broker ended the consumer on " + destination
                        + "; its queue " + queue + " was deleted or failed."));
                }
            }
            default -> super.method(code, in, end);
        }
    }

    private void answer(Answer one) {
        answer = one;
        connection.signal();
    }

    @Override
    void properties(ByteBuffer in) throws IOException {
        envelopeSize = -1;
        int flags = in.getShort() & 0xffff;
        if ((flags & Amqp091MessageTemplate.HEADERS) == 0) {
            return;
        }
        for (int before = 1 << 15; before > Amqp091MessageTemplate.HEADERS; before >>= 1) {
            if ((flags & before) != 0) {
                int size = in.get() & 0xff;
                in.position(in.position() + size);
            }
        }
        int size = Fields.find(in, PROPERTY);
        if (size >= 0 && size <= in.remaining()) {
            if (envelopeBuffer.capacity() < size) {
                envelopeBuffer = ByteBuffer.allocate(size);
            }
            envelopeBuffer.clear().put(0, in, in.position(), size).limit(size);
            envelopeSize = size;
        }
    }

    /** Returns the envelope of the current message, or null; valid until the next message is received. */
    private @Nullable ByteBuffer envelope() {
        return envelopeSize < 0 ? null : envelopeBuffer.position(0);
    }

    @Override
    void content(ByteBuffer body) throws IOException {
        if (settings.polling()) {
            int size = body.remaining();
            fetched = (fetched.capacity() < size ? ByteBuffer.allocate(size) : fetched.clear()).put(body).flip();
            answer(Answer.MESSAGE);
            return;
        }
        if (closing || left) {
            return;
        }
        if (thread != null) {
            // with automatic acknowledgement only a full socket makes the broker wait
            thread.hand(new Item(deliveryTag, redelivered, ConsumerThread.copyOf(envelope()), ConsumerThread.copy(body)));
            return;
        }
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
            if (closing) {
                return;
            }
        }
        deliver(deliveryTag, redelivered, envelope(), body);
    }

    /** Delivers a message to the listener. Call with {@code turn} held. */
    private void deliver(long delivery, boolean again, @Nullable ByteBuffer envelope, ByteBuffer body) {
        if (left) {
            return;
        }
        Settlement settlement = envelope == null ? listener.delivered(body, again) : listener.delivered(envelope, body, again);
        if (settlement == Settlement.LEAVE) {
            left = true;
        } else if (settles && settlement != Settlement.ACCEPT) {
            settle(settlement, delivery);
        } else if (!autoAck) {
            acceptable = delivery;
            unacknowledged++;
            if (settings.ackMode() == AckMode.BATCH && unacknowledged >= settings.batch()) {
                acknowledge();
            }
        }
    }

    /** Appends the rejection of one message. Call with {@code turn} held. */
    private void settle(Settlement settlement, long delivery) {
        if (settlement == Settlement.REQUEUE) {
            append(Method.BASIC_REJECT, delivery, 1);
        } else {
            append(connection.greeting.rejection() == Rejection.REJECT ? Method.BASIC_REJECT : Method.BASIC_ACK, delivery, 0);
        }
    }

    /** Appends the acknowledgement of the messages delivered since the last one. Call with {@code turn} held. */
    private void acknowledge() {
        if (unacknowledged > 0) {
            append(Method.BASIC_ACK, acceptable, unacknowledged > 1 ? 1 : 0);
            unacknowledged = 0;
            accepted = true;
        }
    }

    private void append(int code, long delivery, int flag) {
        connection.lock.lock();
        try {
            if (!closed) {
                ByteBuffer out = connection.out.room(Amqp091Frames.OVERHEAD + 13);
                out.put((byte) 1).putShort((short) number).putInt(13).putInt(code).putLong(delivery).put((byte) flag)
                    .put((byte) 0xce);
                connection.out.appended();
            }
        } finally {
            connection.lock.unlock();
        }
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            if (settings.ackMode() == AckMode.AUTO) {
                acknowledge();
            }
            turn.unlock();
            connection.owe();
        }
    }

    /** Delivers a queued message. Called by the consumer's own thread with {@code turn} held. */
    private void take(Item item) {
        if (!closing) {
            deliver(item.tag(), item.redelivered(), item.envelope(), item.body());
            settle();
        }
    }

    /**
     * Acknowledges or commits after a delivery on a thread other than the reader, which acknowledges at the end of a read. Call with
     * {@code turn} held.
     */
    private void settle() {
        if (settings.ackMode() == AckMode.AUTO) {
            acknowledge();
        } else if (settings.ackMode() == AckMode.TRANSACTED && unacknowledged >= settings.batch()) {
            commit();
        }
    }

    // ---- polling

    @Override
    public boolean needsPolling() {
        return settings.polling();
    }

    @Override
    public void poll(Duration limit) throws Exception {
        PollLoop.poll(limit, () -> closing || left || !settings.polling(), this::fetch);
        if (!closing && connection.isAlive()) {
            connection.flush();
        }
    }

    private boolean fetch() throws Exception {
        turn.lock();
        try {
            if (closing) {
                return false;
            }
            connection.locked(() -> {
                check();
                answer = Answer.NONE;
                connection.method(number, Method.BASIC_GET, getArguments);
            });
            connection.flush();
            connection.await(isAnswered, connection.requestLimitNanos(), late);
            if (answer != Answer.MESSAGE) {
                return false;
            }
            deliver(deliveryTag, redelivered, envelope(), fetched);
            settle();
            return true;
        } catch (IOException e) {
            if (closed) {
                // reported where it was noticed
                return false;
            }
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** Acknowledges and commits the open messages. Call with {@code turn} held. */
    private void commit() {
        try {
            acknowledge();
            call(Method.TX_COMMIT, out -> {}, Method.TX_COMMIT_OK);
        } catch (Exception e) {
            if (!closed) {
                listener.failed(e);
            }
        }
    }

    @Override
    protected void ended(Throwable reason) {
        boolean expected = closing;
        closing = true;
        if (!expected && connection.isAlive()) {
            listener.failed(reason);
        }
    }

    @Override
    public void close() throws Exception {
        Exception failure = null;
        boolean unsure = false;
        if (!closing) {
            closing = true;
            if (turn.tryLock(connection.closeLimitNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    finish();
                    unsure = accepted;
                } catch (Exception e) {
                    failure = e;
                } finally {
                    turn.unlock();
                }
            } else if (!autoAck) {
                failure = new IOException("The last delivery from " + destination + " did not end within "
                    + TimeUnit.NANOSECONDS.toMillis(connection.closeLimitNanos()) + " ms, so what came before it is not acknowledged.");
            }
        }
        if (deletes && !closed) {
            deleteQueue();
        }
        boolean told = shut();
        if (thread != null) {
            thread.join(connection.closeLimitNanos());
        }
        if (failure != null) {
            throw failure;
        }
        if (!told && (tail || unsure && connection.isAlive())) {
            throw new IOException("The broker did not say that it has the last acknowledgements on " + destination + "; it may"
                + " deliver those messages again.");
        }
    }

    private void deleteQueue() {
        try {
            call(Method.QUEUE_DELETE, out -> {
                out.putShort((short) 0);
                Fields.shortText(out, queue);
                out.put((byte) 0);
            }, Method.QUEUE_DELETE_OK, connection.leftToCloseNanos());
        } catch (Exception e) {
            // the queue is exclusive, and ends with the connection
        }
    }

    /**
     * Acknowledges or commits the open messages at the end; closing the channel flushes that to the broker. Call with {@code turn} held.
     */
    private void finish() throws Exception {
        if (closed || unacknowledged == 0) {
            return;
        }
        tail = true;
        acknowledge();
        if (settings.ackMode() == AckMode.TRANSACTED) {
            call(Method.TX_COMMIT, out -> {}, Method.TX_COMMIT_OK, connection.leftToCloseNanos());
        }
    }
}
