package io.brokermeter.driver.amqp091.library;

import java.io.IOException;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.brokermeter.driver.amqp091.model.PublisherConfirms;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.amqp091.model.Topology;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/** A producer that sends over a channel of the client, which writes each message to the socket at once. */
final class RabbitMqProducer implements Producer {

    private final RabbitMqConnection connection;
    private final Channel channel;
    private final Destination destination;
    private final Topology.Route route;
    private final ProducerSettings settings;
    private final TokenWindow pending;
    private final PublisherConfirms numbers;
    private final boolean confirms;
    private final boolean mandatory;
    /** The properties of each variant. */
    private final AMQP.BasicProperties[] properties;
    private final boolean varies;
    private final String idPrefix = UUID.randomUUID() + ":";
    private final boolean writesLater;
    private byte @Nullable [] envelope;
    private long ids;
    private volatile boolean closing;
    /** Whether the broker may have been asked to commit and has not answered yet. */
    private volatile boolean committing;

    private RabbitMqProducer(
            RabbitMqConnection connection, Channel channel, Destination destination, Topology.Route route,
            ProducerSettings settings, SendListener listener) {
        this.connection = connection;
        this.channel = channel;
        this.destination = destination;
        this.route = route;
        this.settings = settings;
        this.pending = new TokenWindow(listener, settings.maxPending());
        this.numbers = new PublisherConfirms(pending);
        this.confirms = connection.options.confirms && !settings.transacted();
        this.mandatory = connection.options.mandatory;
        this.properties = new AMQP.BasicProperties[settings.variants().size()];
        this.writesLater = "true".equals(connection.options.clientSettings.get("use.nio"));
        encode(null);
        this.varies = settings.messageIds() || settings.timestamps() || mandatory;
    }

    static RabbitMqProducer open(
            RabbitMqConnection connection, Destination destination, Topology.Route route, ProducerSettings settings,
            SendListener listener) throws Exception {
        Channel channel = connection.channel();
        RabbitMqProducer producer = new RabbitMqProducer(connection, channel, destination, route, settings, listener);
        try {
            producer.begin();
            return producer;
        } catch (ShutdownSignalException | IOException e) {
            connection.close(channel);
            throw RabbitMqConnection.readable("The broker refuses " + destination, e);
        }
    }

    /** Prepares the properties of all variants with an envelope array, whose content is read again at each send. */
    private void encode(byte @Nullable [] beside) {
        envelope = beside;
        for (int i = 0; i < properties.length; i++) {
            properties[i] = properties(settings, settings.variants().get(i), connection.options.priority, beside);
        }
    }

    private static AMQP.BasicProperties properties(
            ProducerSettings settings, MessageVariant variant, int otherwise, byte @Nullable [] beside) {
        AMQP.BasicProperties.Builder builder = new AMQP.BasicProperties.Builder().deliveryMode(settings.persistent() ? 2 : 1);
        Map<String, Object> headers = new HashMap<>(variant.headers());
        if (beside != null) {
            headers.put(Payload.PROPERTY, beside);
        }
        if (!headers.isEmpty()) {
            builder.headers(headers);
        }
        int priority = variant.priority() >= 0 ? variant.priority() : otherwise;
        if (priority >= 0) {
            builder.priority(priority);
        }
        if (settings.ttlMillis() > 0) {
            builder.expiration(Long.toString(settings.ttlMillis()));
        }
        return builder.build();
    }

    private void begin() throws IOException {
        channel.addShutdownListener(this::ended);
        if (settings.transacted()) {
            channel.txSelect();
        } else if (confirms) {
            channel.addConfirmListener(new ConfirmListener() {

                @Override
                public void handleAck(long sequence, boolean multiple) {
                    numbers.confirm(sequence, multiple);
                    pending.report();
                }

                @Override
                public void handleNack(long sequence, boolean multiple) {
                    numbers.refuse(sequence, multiple, new IOException(
                        "The broker refused a message on " + destination + " (nack): a queue is full or failed."));
                }
            });
            channel.confirmSelect();
        }
        if (mandatory) {
            channel.addReturnListener((code, text, exchange, key, returned, body) -> {
                try {
                    pending.returned(Long.parseUnsignedLong(returned.getCorrelationId(), 16), new ReplyException(code,
                        "returned: " + text + " (" + code + ") for a message on " + destination));
                } catch (NumberFormatException e) {
                    // not one of our messages
                }
            });
        }
    }

    private void ended(ShutdownSignalException cause) {
        IOException reason = RabbitMqConnection.readable("The broker refuses " + destination, cause);
        // a transaction that was not being committed is gone with its channel
        boolean gone = settings.transacted() && !committing;
        // without one the broker may have taken any of several messages before the one for which it closes the channel
        boolean refused = !cause.isHardError() && reason instanceof ReplyException && (settings.transacted() || pending.count() == 1);
        if (!connection.options.recovers || !cause.isHardError() || closing) {
            pending.finish(reason, refused || gone);
        } else if (gone) {
            pending.failAll(reason);
        } else {
            pending.giveUpAll(reason);
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        if (confirms) {
            long next = channel.getNextPublishSeqNo();
            if (next != numbers.next()) {
                numbers.restart(new IOException("The connection broke before the broker confirmed the message."));
            }
        }
        if (!pending.addUnlessFinished(token)) {
            throw new IOException("The producer on " + destination + " is closed.");
        }
        if (payload.envelope() != envelope) {
            encode(payload.envelope());
        }
        try {
            channel.basicPublish(route.exchange(), route.routingKey(), mandatory, false,
                varies ? varied(token, payload.variant()) : properties[payload.variant()], writesLater ? payload.copy() : payload.exact());
        } catch (AlreadyClosedException | IOException e) {
            if (pending.withdraw()) {
                throw RabbitMqConnection.readable("The broker refuses " + destination, e);
            }
            return;
        }
        if (!confirms && !settings.transacted()) {
            pending.confirmBefore(pending.sent());
        }
    }

    private AMQP.BasicProperties varied(long token, int variant) {
        AMQP.BasicProperties.Builder builder = properties[variant].builder();
        if (settings.messageIds()) {
            builder.messageId(idPrefix + ++ids);
        }
        if (settings.timestamps()) {
            builder.timestamp(new Date());
        }
        if (mandatory) {
            builder.correlationId(Long.toHexString(token));
        }
        return builder.build();
    }

    @Override
    public void commit() throws Exception {
        boolean never = !channel.isOpen();
        committing = !never;
        try {
            channel.txCommit();
            pending.confirmBefore(pending.sent());
        } catch (ShutdownSignalException | IOException e) {
            IOException reason = RabbitMqConnection.readable("The broker refuses to commit on " + destination, e);
            if (never || reason instanceof ReplyException && connection.isOpen()) {
                pending.failAll(reason);
            } else {
                pending.giveUpAll(reason);
            }
            if (channel.isOpen()) {
                // whether the transaction was committed is unknown, so nothing may follow it on this channel
                connection.close(channel);
            }
            throw reason;
        } finally {
            committing = false;
        }
    }

    @Override
    public void rollback() throws Exception {
        try {
            channel.txRollback();
        } catch (ShutdownSignalException | IOException e) {
            if (channel.isOpen()) {
                // the next transaction would include the messages of this one
                connection.close(channel);
            }
            throw RabbitMqConnection.readable("The broker refuses to roll back on " + destination, e);
        }
        pending.forgetAll();
    }

    @Override
    public String stallReason() {
        String blocked = connection.blocked;
        return blocked.isEmpty() ? "" : "the broker blocks the connection: " + blocked;
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        try {
            if (settings.transacted() && pending.count() > 0 && channel.isOpen()) {
                commitTail();
            }
            AwakeDeadline deadline = new AwakeDeadline(connection.closeLimit().toNanos());
            while (pending.count() > 0 && channel.isOpen()) {
                if (deadline.isOver()) {
                    connection.foundMute();
                    break;
                }
                LockSupport.parkNanos(500_000);
            }
        } finally {
            connection.close(channel);
            pending.finish(new IOException("The producer on " + destination + " was closed before the broker confirmed"
                + " the message."), settings.transacted());
            connection.closed(this);
        }
    }

    private void commitTail() {
        try {
            commit();
        } catch (Exception e) {
            // the commit has reported each token
        }
    }
}
