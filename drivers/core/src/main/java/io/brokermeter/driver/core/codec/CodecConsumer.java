package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the connection's reader thread, and acknowledges each message, or each batch of them by its last one, after the
 * listener has returned. The window is renewed when half of it is used, as Artemis' client does. If the listener may block, deliveries run on
 * a thread of their own.
 */
final class CodecConsumer extends CoreChannel implements Consumer {

    /** The only consumer of its session. */
    private static final long CONSUMER = 0;
    /** Bytes behind a received message: its consumer and how often it was delivered. */
    private static final int TRAILER = Long.BYTES + Integer.BYTES;
    private static final int ACKNOWLEDGEMENT = CorePackets.HEADER + Long.BYTES + Long.BYTES + 1;

    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final Destination destination;
    private final IncomingCoreMessage message = new IncomingCoreMessage();
    private final @Nullable ConsumerThread<Item> thread;

    /** Held while the listener runs, and until the acknowledgements of its messages have been appended. */
    private final ReentrantLock turn = new ReentrantLock();

    // used by the reader thread
    private final LargeDelivery large = new LargeDelivery();

    // guarded by turn
    private final ByteBuffer output = ByteBuffer.allocate(128 * ACKNOWLEDGEMENT);
    private long last;
    private int sinceBatch;
    private int consumed;
    private boolean received;

    /** Bytes consumed at which the window is renewed; negative for a window without limit. Written before the first credit. */
    private volatile int renewAt = -1;
    /** The queue that goes with the consumer; null for none. */
    private volatile @Nullable String temporary;
    private volatile boolean left;
    private volatile boolean closing;

    private record Item(
            long id, int size, boolean redelivered, boolean expired, @Nullable ByteBuffer envelope, ByteBuffer body) {}

    CodecConsumer(CodecConnection connection, long channel, Destination destination, ConsumerSettings settings, DeliveryListener listener) {
        super(connection, channel, connection.url().windowForAll() ? connection.url().confirmationWindow() : -1);
        this.destination = destination;
        this.settings = settings;
        this.listener = listener;
        this.thread = settings.mayBlock() ? new ConsumerThread<>(
            "brokermeter-core-consumer", Integer.MAX_VALUE, turn, () -> closing, this::take, connection::flush) : null;
    }

    /** Creates the consumer at the broker and grants it its window. */
    void begin(BrokerObjects.Source source) throws IOException, InterruptedException {
        temporary = source.isTemporary() ? source.queue() : null;
        tell(new CorePacket(CorePackets.START, id));
        QueueFacts facts =
            QueueFacts.read(
                request(new CorePacket(CorePackets.CREATE_CONSUMER, id).number(CONSUMER).name(source.queue()).nullableName(source.filter())
                    .flag(false).flag(true).number(0), destination.toString()));
        int window = connection.url().consumerWindow();
        if (window == ActiveMQClient.DEFAULT_CONSUMER_WINDOW_SIZE && facts.consumerWindow() != Integer.MIN_VALUE) {
            window = facts.consumerWindow();
        }
        renewAt = window > 1 ? window / 2 : window;
        if (thread != null) {
            thread.start();
        }
        // without a window one message is asked for, by the least credit
        tell(new CorePacket(CorePackets.CONSUMER_CREDITS, id).number(CONSUMER).number(window == 0 ? 1 : window));
        connection.flush();
    }

    // ---- packets of the broker; reader thread

    @Override
    void packet(byte type, ByteBuffer in, int end) throws IOException {
        int start = in.position();
        int size = end - start + CorePackets.HEADER;
        switch (type) {
            case CorePackets.RECEIVE -> {
                if (!closing) {
                    message.read(in);
                    arrived(message.id(), size, in.getInt(end - Integer.BYTES) > 1, message.isExpired(), message.envelope(),
                        connection.view(message.bodyStart(), message.bodyEnd()), false);
                }
            }
            case CorePackets.RECEIVE_LARGE -> {
                boolean redelivered = in.getInt(start + Long.BYTES) > 1;
                long length = in.getLong(start + TRAILER);
                message.readHeaders(in.position(start + TRAILER + Long.BYTES));
                large.begin(message, length, redelivered);
                renew(size);
            }
            case CorePackets.RECEIVE_CONTINUATION -> piece(in, size);
            case CorePackets.DISCONNECT_CONSUMER -> disconnected("");
            case CorePackets.DISCONNECT_CONSUMER_KILL -> disconnected(", since it is too slow");
            default -> super.packet(type, in, end);
        }
    }

    private void piece(ByteBuffer in, int size) {
        if (!large.isOpen()) {
            return;
        }
        int length = in.getInt();
        int start = in.position();
        boolean more = in.get(start + length) != 0;
        large.add(connection.view(start, start + length));
        renew(size); // a message may be larger than the window
        if (!more) {
            ByteBuffer body = large.end(thread != null);
            if (!closing) {
                arrived(large.id(), 0, large.redelivered(), large.expired(), large.envelope(), body, true);
            }
        }
    }

    private void renew(int size) {
        hold();
        consumed(size);
    }

    private void disconnected(String why) {
        if (!closing) {
            listener.failed(new DriverException("The broker closed the consumer on " + destination + why + ".", null));
        }
    }

    @Override
    void failed(CoreRefusal reason) {
        if (!closing) {
            listener.failed(reason);
        }
    }

    /** @param isOwn whether envelope and body are not overwritten by what comes next, where deliveries have a thread */
    private void arrived(
            long number, int size, boolean redelivered, boolean expired, @Nullable ByteBuffer envelope, ByteBuffer body, boolean isOwn) {
        if (thread != null) {
            thread.hand(new Item(number, size, redelivered, expired, isOwn ? envelope : ConsumerThread.copyOf(envelope),
                isOwn ? body : ConsumerThread.copy(body)));
            return;
        }
        hold();
        if (!closing) {
            deliver(number, size, redelivered, expired, envelope, body);
        }
    }

    /** Takes the turn until the end of the packets of this read. */
    private void hold() {
        if (!turn.isHeldByCurrentThread()) {
            turn.lock();
            connection.touch(this);
        }
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            append();
            turn.unlock();
            connection.owe();
        }
    }

    // ---- deliveries; with the turn held

    private void take(Item item) {
        if (!closing) {
            deliver(item.id(), item.size(), item.redelivered(), item.expired(), item.envelope(), item.body());
            append();
        }
    }

    private void deliver(long number, int size, boolean redelivered, boolean expired, @Nullable ByteBuffer envelope, ByteBuffer body) {
        if (left) {
            return; // the message goes back to the broker when the session is closed
        }
        if (expired) {
            packet(CorePackets.EXPIRED, 2 * Long.BYTES).putLong(CONSUMER).putLong(number);
            consumed(size);
            return;
        }
        received = true;
        Settlement answer = envelope == null ? listener.delivered(body, redelivered) : listener.delivered(envelope, body, redelivered);
        if (answer == Settlement.LEAVE) {
            left = true;
            return;
        }
        last = number;
        sinceBatch++;
        if (settings.ackMode() == AckMode.AUTO || sinceBatch >= settings.batch()) {
            acknowledge();
        }
        consumed(size);
    }

    /** Acknowledges the messages up to the last one. */
    private void acknowledge() {
        sinceBatch = 0;
        packet(CorePackets.ACKNOWLEDGE, 2 * Long.BYTES + 1).putLong(CONSUMER).putLong(last).put((byte) 0);
    }

    private void consumed(int size) {
        int limit = renewAt;
        if (limit < 0) {
            return;
        }
        consumed += size;
        if (consumed >= limit && consumed > 0) {
            packet(CorePackets.CONSUMER_CREDITS, Long.BYTES + Integer.BYTES).putLong(CONSUMER).putInt(consumed);
            consumed = 0;
        }
    }

    /** Returns the buffer for the fields of a packet, whose length in bytes is given. */
    private ByteBuffer packet(byte type, int fields) {
        if (output.remaining() < CorePackets.HEADER + fields) {
            append();
        }
        return output.putInt(CorePackets.HEADER - Integer.BYTES + fields).put(type).putLong(id);
    }

    private void append() {
        if (output.position() == 0) {
            return;
        }
        connection.lock.lock();
        try {
            if (!isOver()) {
                connection.out.append(output.array(), output.position());
            }
        } finally {
            connection.lock.unlock();
        }
        output.clear();
    }

    // ---- the end

    @Override
    int farewell() {
        String queue = temporary;
        if (queue == null) {
            return 0;
        }
        new CorePacket(CorePackets.CLOSE_CONSUMER, id).number(CONSUMER).appendTo(connection.out);
        new CorePacket(CorePackets.DELETE_QUEUE, id).name(queue).appendTo(connection.out);
        return 2;
    }

    @Override
    protected void ended(Throwable reason) {
        closing = true;
    }

    @Override
    public void close() throws Exception {
        if (closing) {
            leave();
            return;
        }
        closing = true;
        boolean acknowledged = turn.tryLock(connection.closeLimitNanos(), TimeUnit.NANOSECONDS);
        boolean heard = false;
        if (acknowledged) {
            try {
                heard = received;
                if (sinceBatch > 0) {
                    acknowledge();
                }
                append();
            } finally {
                turn.unlock();
            }
        }
        if (!leave() && heard) {
            listener.failed(new TimeoutException("The broker did not answer when the consumer on " + destination
                + " closed, so nobody knows whether it has the last acknowledgements."));
        } else if (!acknowledged) {
            listener.failed(new TimeoutException("The last delivery from " + destination + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(connection.closeLimitNanos()) + " ms, so what came before it is not acknowledged."));
        }
        if (thread != null) {
            thread.join(connection.closeLimitNanos());
        }
    }
}
