package io.brokermeter.driver.amqp091.library;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.ShutdownSignalException;
import io.brokermeter.driver.amqp091.model.PollLoop;
import io.brokermeter.driver.amqp091.model.Prefetch;
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

/** A consumer that receives on the client's threads, one message of a channel after the other, or on the polling thread. */
final class RabbitMqConsumer extends DefaultConsumer implements Consumer {

    /**
     * Length of the client's queue of a channel, in messages. The client's only reader thread waits while a queue is longer. The client
     * lifts that limit while a request waits for its answer, but may end the lift of a request when it ends the one before: the answer is
     * then behind messages that nobody reads (version 5.37). Up to 1000 unacknowledged messages never reach the limit; more are handed to a
     * thread with room for all of them, so that commits do not block the client's thread.
     */
    private static final int CLIENT_QUEUE = 1000;

    private final RabbitMqConnection connection;
    private final Channel channel;
    private final Destination destination;
    private final String queue;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final boolean autoAck;
    private final @Nullable ConsumerThread<Delivery> thread;

    /** Held while the listener runs, and until its messages are acknowledged. */
    private final ReentrantLock turn = new ReentrantLock();
    private long acceptable;
    private int unacknowledged;
    /** Whether any message was ever acknowledged. */
    private boolean accepted;
    private volatile boolean closing;
    /** Whether the listener accepts no more messages; those it has not accepted go back when the channel is closed. */
    private volatile boolean left;

    private RabbitMqConsumer(
            RabbitMqConnection connection, Channel channel, Destination destination, String queue, ConsumerSettings settings,
            DeliveryListener listener, int prefetch) {
        super(channel);
        this.connection = connection;
        this.channel = channel;
        this.destination = destination;
        this.queue = queue;
        this.settings = settings;
        this.listener = listener;
        this.autoAck = connection.options.autoAck;
        this.thread = settings.ackMode() == AckMode.TRANSACTED && !settings.polling() && (prefetch == 0 || prefetch > CLIENT_QUEUE)
            ? new ConsumerThread<>("brokermeter-amqp091-handover", prefetch == 0 ? Integer.MAX_VALUE : prefetch, turn,
                () -> closing || left, this::take, () -> {})
            : null;
    }

    static RabbitMqConsumer open(
            RabbitMqConnection connection, Destination destination, String queue, Map<String, Object> arguments,
            ConsumerSettings settings, DeliveryListener listener) throws Exception {
        int prefetch = Prefetch.of(settings);
        Channel channel = connection.channel();
        RabbitMqConsumer consumer = new RabbitMqConsumer(connection, channel, destination, queue, settings, listener, prefetch);
        try {
            if (settings.ackMode() == AckMode.TRANSACTED) {
                channel.txSelect();
            }
            if (settings.polling()) {
                return consumer;
            }
            if (!consumer.autoAck) {
                channel.basicQos(prefetch);
            }
            if (consumer.thread != null) {
                consumer.thread.start();
            }
            channel.basicConsume(queue, consumer.autoAck, arguments, consumer);
            return consumer;
        } catch (ShutdownSignalException | IOException e) {
            consumer.closing = true;
            connection.close(channel);
            throw RabbitMqConnection.readable("The broker refuses " + destination, e);
        }
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
        if (closing || left) {
            return;
        }
        Delivery delivery = new Delivery(envelope, properties, body);
        if (thread == null) {
            take(delivery);
        } else {
            thread.hand(delivery);
        }
    }

    private void take(Delivery delivery) {
        turn.lock();
        try {
            if (!closing && !left) {
                deliver(delivery.getEnvelope(), delivery.getProperties(), delivery.getBody());
            }
        } catch (ShutdownSignalException | IOException e) {
            if (!closing && channel.isOpen()) {
                listener.failed(RabbitMqConnection.readable("The broker refuses an acknowledgement on " + destination, e));
            }
        } finally {
            turn.unlock();
        }
    }

    private void deliver(Envelope envelope, AMQP.BasicProperties properties, byte[] body) throws IOException {
        ByteBuffer beside = beside(properties);
        Settlement settlement = beside == null ? listener.delivered(ByteBuffer.wrap(body), envelope.isRedeliver())
            : listener.delivered(beside, ByteBuffer.wrap(body), envelope.isRedeliver());
        if (settlement == Settlement.LEAVE) {
            left = true;
            return;
        }
        if (autoAck) {
            return;
        }
        if (settings.settles() && settlement != Settlement.ACCEPT) {
            if (settlement == Settlement.REJECT && connection.rejection == Rejection.ACKNOWLEDGE) {
                channel.basicAck(envelope.getDeliveryTag(), false);
            } else {
                channel.basicReject(envelope.getDeliveryTag(), settlement == Settlement.REQUEUE);
            }
            return;
        }
        acceptable = envelope.getDeliveryTag();
        unacknowledged++;
        if (settings.ackMode() == AckMode.AUTO || unacknowledged >= settings.batch()) {
            acknowledge();
        }
    }

    private static @Nullable ByteBuffer beside(AMQP.BasicProperties properties) {
        Map<String, Object> headers = properties.getHeaders();
        return switch (headers == null ? null : headers.get(Payload.PROPERTY)) {
            case byte[] bytes -> ByteBuffer.wrap(bytes);
            case LongString text -> ByteBuffer.wrap(text.getBytes());
            case null, default -> null;
        };
    }

    @Override
    public boolean needsPolling() {
        return settings.polling();
    }

    @Override
    public void poll(Duration limit) throws Exception {
        PollLoop.poll(limit, () -> closing || left || !settings.polling(), this::fetch);
    }

    private boolean fetch() throws IOException {
        turn.lock();
        try {
            GetResponse answer = closing ? null : channel.basicGet(queue, autoAck);
            if (answer == null) {
                return false;
            }
            deliver(answer.getEnvelope(), answer.getProps(), answer.getBody());
            return true;
        } catch (ShutdownSignalException | IOException e) {
            if (closing || !connection.isOpen()) {
                // reported where it was noticed
                return false;
            }
            throw RabbitMqConnection.readable("The broker refuses " + destination, e);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Acknowledges the messages delivered since the last call, and commits them if the consumer is transacted. Call with {@code turn} held.
     */
    private void acknowledge() throws IOException {
        int count = unacknowledged;
        unacknowledged = 0;
        accepted = true;
        channel.basicAck(acceptable, count > 1);
        if (settings.ackMode() == AckMode.TRANSACTED) {
            channel.txCommit();
        }
    }

    @Override
    public void handleCancel(String tag) {
        if (!closing) {
            listener.failed(new IOException("The broker ended the consumer on " + destination
                + "; its queue was deleted or failed."));
        }
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException signal) {
        if (!closing && !signal.isHardError() && !signal.isInitiatedByApplication()) {
            listener.failed(RabbitMqConnection.readable("The broker closed the channel of " + destination, signal));
        }
    }

    @Override
    public void close() throws Exception {
        if (closing) {
            return;
        }
        closing = true;
        boolean tail = false;
        boolean over = false;
        boolean told;
        Duration limit = connection.closeLimit();
        try {
            over = turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (over) {
                try {
                    tail = accepted && channel.isOpen();
                    if (unacknowledged > 0 && channel.isOpen()) {
                        tail = true;
                        acknowledge();
                    }
                    if (settings.polling() && destination.isTopic() && settings.subscription() == null && channel.isOpen()) {
                        // a queue that nobody consumes from does not end with its consumers
                        channel.queueDelete(queue);
                    }
                } finally {
                    turn.unlock();
                }
            }
        } catch (ShutdownSignalException | IOException e) {
            throw RabbitMqConnection.readable("The broker refuses an acknowledgement on " + destination, e);
        } finally {
            told = connection.close(channel);
            connection.closed(this);
        }
        if (!over && !autoAck && !connection.isLost()) {
            throw new IOException("The last delivery from " + destination + " did not end within " + limit.toMillis()
                + " ms, so what came before it is not acknowledged.");
        }
        if (tail && !told && !connection.isLost()) {
            throw new IOException("The broker did not say that it has the last acknowledgements on " + destination + "; it may"
                + " deliver those messages again.");
        }
    }
}
