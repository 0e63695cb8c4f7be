package io.brokermeter.driver.nats;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import org.jspecify.annotations.Nullable;

/** Receives on a thread of its own, the dispatcher's. */
final class NatsConsumer implements Consumer {

    private final NatsConnection owner;
    private final Connection connection;
    private final DeliveryListener listener;
    private final Dispatcher dispatcher;
    private final boolean acknowledges;
    private final @Nullable Message[] open;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile int count;

    /** @param acknowledges whether messages come from a stream, which waits for acknowledgements */
    NatsConsumer(
            NatsConnection owner, Connection connection, ConsumerSettings settings, DeliveryListener listener,
            boolean acknowledges) {
        this.owner = owner;
        this.connection = connection;
        this.listener = listener;
        this.acknowledges = acknowledges;
        this.open = new Message[settings.ackMode() == AckMode.AUTO ? 1 : Math.max(1, settings.batch())];
        this.dispatcher = connection.createDispatcher(this::arrived);
        if (acknowledges) {
            // What is under way is limited by the server already.
            dispatcher.setPendingLimits(0, 0);
        }
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    private void arrived(Message message) {
        if (ended) {
            if (acknowledges) {
                // Somebody else shall have it at once, not when the server is tired of waiting.
                message.nak();
            }
            return;
        }
        byte[] data = message.getData();
        listener.delivered(ByteBuffer.wrap(data == null ? new byte[0] : data), acknowledges && isAgain(message.getReplyTo()));
        if (acknowledges) {
            int next = count;
            open[next++] = message;
            count = next;
            if (next == open.length) {
                acknowledge();
            }
        }
    }

    private void acknowledge() {
        int last = count;
        count = 0;
        try {
            for (int i = 0; i < last; i++) {
                Message message = open[i];
                open[i] = null;
                if (message != null) {
                    message.ack();
                }
            }
        } catch (RuntimeException e) {
            listener.failed(e);
        }
    }

    /**
     * Whether the server delivered it before. The reply subject of a stream's message tells:
     * {@code $JS.ACK.stream.consumer.DELIVERED.sequence.sequence.time.pending}, newer servers put domain and account before
     * the stream and a random word at the end.
     */
    private static boolean isAgain(@Nullable String reply) {
        if (reply == null) {
            return false;
        }
        int words = 1;
        for (int i = 0; i < reply.length(); i++) {
            words += reply.charAt(i) == '.' ? 1 : 0;
        }
        int before = words > 9 ? 6 : 4;
        int at = 0;
        for (int i = 0; i < before; i++) {
            at = reply.indexOf('.', at) + 1;
        }
        return !(reply.startsWith("1.", at));
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ended = true;
        Duration limit = owner.closeLimit();
        try {
            // Returns when no call is under way.
            dispatcher.drain(limit).get(limit.toMillis() + 100, TimeUnit.MILLISECONDS);
            if (count > 0) {
                acknowledge();
            }
            connection.flush(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            // The connection is gone or hangs, which its listener hears; the server delivers again what it misses.
        }
        owner.closed(this);
    }
}
