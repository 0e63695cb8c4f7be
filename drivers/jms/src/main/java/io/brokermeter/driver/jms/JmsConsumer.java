package io.brokermeter.driver.jms;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.PropertyText;
import io.brokermeter.spi.Settlement;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import org.jspecify.annotations.Nullable;

/**
 * A consumer with a session of its own, driven by the client's delivery thread.
 *
 * <p>A message is counted when it is delivered. The acknowledgement of an incomplete batch, and the commit of an
 * incomplete transaction, stay open until the batch is full or the consumer is closed, also while no messages come: a
 * JMS session belongs to its delivery thread, and a tail that stays open on an idle consumer loses nothing, since its
 * messages have been reported already and closing acknowledges them.
 *
 * <p>A consumer that may give messages back or refuse them settles each by itself. One that is polled takes the next
 * message from its session at each poll; without batches and transactions the session then acknowledges a message when it
 * hands it out, which is what the interface makes of a message that is received.
 */
public class JmsConsumer implements Consumer, MessageListener {

    private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

    private final JmsConnection connection;
    private final Session session;
    private final MessageConsumer consumer;
    private final DeliveryListener listener;
    private final AckMode ackMode;
    private final int batch;
    private final boolean settles;
    private final boolean polling;
    /** Held during a poll. */
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;

    // of the delivery thread; handed to the closing thread by the end of delivery
    private byte[] bytes = new byte[4096];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private byte[] property = new byte[64];
    private ByteBuffer propertyBuffer = ByteBuffer.wrap(property);
    private int open;
    private @Nullable Message last;

    protected JmsConsumer(
            JmsConnection connection, Session session, MessageConsumer consumer, ConsumerSettings settings,
            DeliveryListener listener) {
        this.connection = connection;
        this.session = session;
        this.consumer = consumer;
        this.listener = listener;
        this.ackMode = settings.ackMode();
        this.batch = Math.max(1, settings.batch());
        this.settles = settings.settles();
        this.polling = settings.polling();
    }

    /** Starts delivery, unless messages are asked for. */
    void start() throws JMSException {
        if (!polling) {
            consumer.setMessageListener(this);
        }
    }

    @Override
    public final boolean needsPolling() {
        return polling;
    }

    /** Delivers the next message, when one comes within the limit. */
    @Override
    public final void poll(Duration limit) throws JMSException {
        turn.lock();
        try {
            if (closed.get()) {
                return;
            }
            var message = consumer.receive(Math.max(1, limit.toMillis()));
            if (message != null) {
                deliver(message);
            }
        } catch (JMSException | RuntimeException e) {
            if (!closed.get()) {
                throw e;
            }
        } finally {
            turn.unlock();
        }
    }

    @Override
    public final void onMessage(Message message) {
        if (ended) {
            // An exception keeps the client from acknowledging what nobody heard of.
            throw new IllegalStateException("The consumer is closed.");
        }
        deliver(message);
    }

    private void deliver(Message message) {
        var body = NO_BODY;
        boolean redelivered = false;
        try {
            redelivered = message.getJMSRedelivered();
            body = body(message);
        } catch (JMSException | RuntimeException e) {
            // A stranger's message whose body cannot be read: it counts as one without a body.
            body = NO_BODY;
        }
        var envelope = readableEnvelope(message);
        var answer = envelope == null ? listener.delivered(body, redelivered)
            : listener.delivered(envelope, body, redelivered);
        if (settles) {
            settle(message, answer);
        } else if (ackMode != AckMode.AUTO) {
            last = message;
            if (++open >= batch) {
                acknowledge();
            }
        }
    }

    private @Nullable ByteBuffer readableEnvelope(Message message) {
        try {
            return envelope(message);
        } catch (JMSException | RuntimeException e) {
            // a stranger's property of the same name
            return null;
        }
    }

    /** The bytes of the property that carries the envelope, valid until the next call; null when there is none. */
    protected @Nullable ByteBuffer envelope(Message message) throws JMSException {
        return envelope(message.getObjectProperty(Payload.PROPERTY));
    }

    /** The bytes that a value of the property stands for, valid until the next call; null when it is no envelope. */
    protected final @Nullable ByteBuffer envelope(@Nullable Object value) {
        if (value instanceof byte[] array) {
            return ByteBuffer.wrap(array);
        }
        if (!(value instanceof String text)) {
            return null;
        }
        if (text.length() > property.length * 2) {
            property = new byte[text.length()];
            propertyBuffer = ByteBuffer.wrap(property);
        }
        int count = PropertyText.decode(text, property);
        return count < 0 ? null : propertyBuffer.clear().limit(count);
    }

    private void settle(Message message, Settlement answer) {
        try {
            switch (answer) {
                case ACCEPT -> accept(message);
                case REQUEUE -> requeue(message);
                case REJECT -> reject(message);
            }
        } catch (JMSException | RuntimeException e) {
            fail(e);
        }
    }

    /**
     * Acknowledges one message; every message before it is settled. A client with a mode of its own for this
     * ({@link JmsConnection#settlingMode}) does it here.
     */
    protected void accept(Message message) throws JMSException {
        session.commit();
    }

    /** Gives one message back; every message before it is settled. A client with a mode of its own does it here. */
    protected void requeue(Message message) throws JMSException {
        session.rollback();
    }

    /** Refuses one message for good; every message before it is settled. For clients that can. */
    protected void reject(Message message) throws JMSException {
        throw new UnsupportedOperationException("This client cannot reject messages.");
    }

    /**
     * The body of a message between position and limit; read by one thread, and only until the next call.
     *
     * @return an empty buffer for a message that has no byte body
     */
    protected ByteBuffer body(Message message) throws JMSException {
        if (!(message instanceof BytesMessage bytesMessage)) {
            return NO_BODY;
        }
        int length = Math.toIntExact(bytesMessage.getBodyLength());
        reserve(length);
        if (length > 0) {
            int read = bytesMessage.readBytes(bytes, length);
            length = Math.max(read, 0);
        }
        return buffer.clear().limit(length);
    }

    /** A body that the client holds as an array, for {@link #body}; valid until the next call. */
    protected final ByteBuffer copied(byte[] data, int offset, int length) {
        reserve(length);
        System.arraycopy(data, offset, bytes, 0, length);
        return buffer.clear().limit(length);
    }

    private void reserve(int length) {
        if (length > bytes.length) {
            bytes = new byte[Math.max(length, bytes.length * 2)];
            buffer = ByteBuffer.wrap(bytes);
        }
    }

    private void acknowledge() {
        open = 0;
        try {
            acknowledgeOpen();
        } catch (JMSException | RuntimeException e) {
            listener.failed(e);
            if (ackMode == AckMode.TRANSACTED && !connection.isLost()) {
                rollBack();
            }
        }
    }

    private void acknowledgeOpen() throws JMSException {
        var message = last;
        last = null;
        if (ackMode == AckMode.TRANSACTED) {
            session.commit();
        } else if (message != null) {
            message.acknowledge();
        }
    }

    private void rollBack() {
        try {
            session.rollback();
        } catch (JMSException | RuntimeException e) {
            // The broker has rolled back by itself, or the connection is gone, which its listener hears.
        }
    }

    /** The JMS session, for a subclass that knows more of the client than JMS tells. */
    protected final Session session() {
        return session;
    }

    /** The JMS consumer, for a subclass that knows more of the client than JMS tells. */
    protected final MessageConsumer jmsConsumer() {
        return consumer;
    }

    /** The consumer cannot go on, though its connection can. */
    protected final void fail(Throwable cause) {
        if (!closed.get()) {
            listener.failed(cause);
        }
    }

    @Override
    public final void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!connection.isLost()) {
                var failure = connection.bounded("acknowledging what was received", () -> {
                    if (polling) {
                        awaitPoll();
                    } else {
                        stopDelivery();
                    }
                    if (open > 0) {
                        open = 0;
                        acknowledgeOpen();
                    }
                    return null;
                });
                if (failure != null && !connection.isLost()) {
                    listener.failed(failure);
                }
            }
            connection.bounded("closing a consumer", () -> {
                try {
                    consumer.close();
                } finally {
                    session.close();
                }
                return null;
            });
        } finally {
            ended = true;
            connection.closed(this);
        }
    }

    /** A poll that begins later does nothing. */
    private void awaitPoll() {
        turn.lock();
        turn.unlock();
    }

    /** Ends delivery without giving up what was delivered; returns when no delivery is under way. */
    protected void stopDelivery() throws JMSException {
        consumer.setMessageListener(null);
    }
}
