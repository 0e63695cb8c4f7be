package io.brokermeter.driver.amqp091.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.brokermeter.driver.amqp091.model.Prefetch;
import io.brokermeter.driver.amqp091.model.Refusals;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Receives on the client's threads, one message of a channel after the other. */
final class ClientConsumer extends DefaultConsumer implements Consumer {

    private final ClientConnection connection;
    private final Channel channel;
    private final Destination destination;
    private final ConsumerSettings settings;
    private final DeliveryListener listener;
    private final Refusals refusals;
    private final boolean autoAck;
    private final @Nullable Handover handover;

    /** Held while the listener runs and until what it took is acknowledged. */
    private final ReentrantLock turn = new ReentrantLock();
    private long acceptable;
    private int unacknowledged;
    private volatile boolean closing;

    private ClientConsumer(
            ClientConnection connection, Channel channel, Destination destination, ConsumerSettings settings,
            DeliveryListener listener, int prefetch) {
        super(channel);
        this.connection = connection;
        this.channel = channel;
        this.destination = destination;
        this.settings = settings;
        this.listener = listener;
        this.autoAck = connection.options().autoAck();
        this.refusals = new Refusals(connection.options().requeueShare());
        this.handover = settings.ackMode() == AckMode.TRANSACTED && Handover.needed(prefetch)
            ? Handover.start(this::take) : null;
    }

    static ClientConsumer open(
            ClientConnection connection, Destination destination, String queue, Map<String, Object> arguments,
            ConsumerSettings settings, DeliveryListener listener) throws Exception {
        int prefetch = Prefetch.of(settings);
        Channel channel = connection.channel();
        ClientConsumer consumer = new ClientConsumer(connection, channel, destination, settings, listener, prefetch);
        try {
            if (settings.ackMode() == AckMode.TRANSACTED) {
                channel.txSelect();
            }
            if (!consumer.autoAck) {
                channel.basicQos(prefetch);
            }
            channel.basicConsume(queue, consumer.autoAck, arguments, consumer);
            return consumer;
        } catch (ShutdownSignalException | IOException e) {
            consumer.endHandover();
            connection.close(channel);
            throw ClientConnection.readable("The broker refuses " + destination, e);
        }
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
        if (closing) {
            return;
        }
        if (handover == null) {
            take(envelope, body);
        } else {
            handover.put(envelope, body);
        }
    }

    private void take(Envelope envelope, byte[] body) {
        turn.lock();
        try {
            if (!closing) {
                deliver(envelope, body);
            }
        } catch (ShutdownSignalException | IOException e) {
            if (!closing && channel.isOpen()) {
                listener.failed(ClientConnection.readable("The broker refuses an acknowledgement on " + destination, e));
            }
        } finally {
            turn.unlock();
        }
    }

    private void deliver(Envelope envelope, byte[] body) throws IOException {
        if (refusals.next(envelope.isRedeliver())) {
            channel.basicReject(envelope.getDeliveryTag(), true);
            return;
        }
        listener.delivered(ByteBuffer.wrap(body), envelope.isRedeliver());
        if (autoAck) {
            return;
        }
        acceptable = envelope.getDeliveryTag();
        unacknowledged++;
        if (settings.ackMode() == AckMode.AUTO || unacknowledged >= settings.batch()) {
            acknowledge();
        }
    }

    /** Acknowledges what was delivered since the last time, and commits it where that is the mode. Under turn. */
    private void acknowledge() throws IOException {
        int count = unacknowledged;
        unacknowledged = 0;
        channel.basicAck(acceptable, count > 1);
        if (settings.ackMode() == AckMode.TRANSACTED) {
            commit();
        }
    }

    private void commit() throws IOException {
        if (handover == null) {
            channel.txCommit();
            return;
        }
        handover.waitsForBroker(true);
        try {
            channel.txCommit();
        } finally {
            handover.waitsForBroker(false);
        }
    }

    private void endHandover() {
        if (handover != null) {
            handover.close();
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
            listener.failed(ClientConnection.readable("The broker closed the channel of " + destination, signal));
        }
    }

    @Override
    public void close() throws Exception {
        if (closing) {
            return;
        }
        closing = true;
        endHandover();
        try {
            if (turn.tryLock(connection.closeLimit().toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    if (unacknowledged > 0 && channel.isOpen()) {
                        acknowledge();
                    }
                } finally {
                    turn.unlock();
                }
            }
        } catch (ShutdownSignalException | IOException e) {
            throw ClientConnection.readable("The broker refuses an acknowledgement on " + destination, e);
        } finally {
            connection.close(channel);
            connection.forget(this);
        }
    }
}
