package io.brokermeter.driver.jms;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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
 * <p>A consumer that may give messages back or refuse them settles each by itself; so does one that is polled without batches
 * and transactions, since a session that acknowledges by itself does so before anybody has seen the message.
 *
 * <p>A message that is left ({@link Settlement#LEAVE}) is part of the transaction or batch in which the client delivered it
 * already, and the interface cannot take it out. So when such a consumer closes, it gives the whole back, takes those messages
 * again that were accepted, without telling them a second time, and acknowledges them alone. Where others are faster it says so
 * and acknowledges nothing. A consumer that acknowledges each message closes within the delivery of the one that is left.
 */
public class JmsConsumer implements Consumer, MessageListener {

    private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);
    private static final int PRINTED = 32;
    /** The longest to wait for messages that were given back in order to be taken again. */
    private static final long AGAIN_MILLIS = 3000;

    private final JmsConnection connection;
    private final Session session;
    private final MessageConsumer consumer;
    private final DeliveryListener listener;
    private final AckMode ackMode;
    private final int batch;
    private final boolean settles;
    private final boolean settlesByTransaction;
    private final boolean polling;
    /** Held during a poll. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Held while a message is left by closing the client's consumer, and while {@link #close()} begins. */
    private final ReentrantLock ending = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean left;
    private volatile boolean received;

    // of the delivery thread; handed to the closing thread by the end of delivery
    private byte[] bytes = new byte[4096];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private byte[] property = new byte[64];
    private ByteBuffer propertyBuffer = ByteBuffer.wrap(property);
    private int open;
    private @Nullable Message last;
    /** Of the open messages, to know them again. */
    private long[] prints = new long[0];

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
        this.settlesByTransaction = connection.settlingMode() == Session.SESSION_TRANSACTED;
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
        if (left) {
            LockSupport.parkNanos(this, limit.toNanos());
            return;
        }
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
            // An exception keeps the client from acknowledging what nobody received.
            throw new IllegalStateException("The consumer is closed.");
        }
        deliver(message);
    }

    private void deliver(Message message) {
        if (left) {
            leave(); // it goes back with the one that was left
            return;
        }
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
        long print = ackMode == AckMode.AUTO ? 0 : print(envelope, body);
        if (!received) {
            received = true;
        }
        var answer = envelope == null ? listener.delivered(body, redelivered)
            : listener.delivered(envelope, body, redelivered);
        if (answer == Settlement.LEAVE) {
            leave();
        } else if (settles) {
            settle(message, answer);
        } else if (ackMode != AckMode.AUTO) {
            last = message;
            if (open == prints.length) {
                prints = Arrays.copyOf(prints, Math.min(batch, Math.max(16, 2 * open)));
            }
            prints[open] = print;
            if (++open >= batch) {
                acknowledge();
            }
        } else if (polling) {
            acknowledgePolled(message);
        }
    }

    /**
     * Keeps the client from acknowledging the message whose listener is about to return. The interface has no better way than to
     * close the consumer in its listener; a client that knows one has it here.
     *
     * @param beingClosed whether the consumer is being closed already, so that nobody will deliver the message here again
     */
    protected void keepUnacknowledged(boolean beingClosed) throws JMSException {
        if (beingClosed) {
            throw new IllegalStateException("The consumer is closed, and leaves this message.");
        }
        consumer.close();
    }

    private void acknowledgePolled(Message message) {
        try {
            message.acknowledge();
        } catch (JMSException | RuntimeException e) {
            fail(e);
        }
    }

    /** A number by which a message is known again among those of one batch: of its length and its first bytes. */
    private static long print(@Nullable ByteBuffer envelope, ByteBuffer body) {
        long print = body.remaining();
        return envelope == null ? mixed(print, body) : mixed(mixed(print, envelope), body);
    }

    private static long mixed(long print, ByteBuffer bytes) {
        int from = bytes.position();
        int count = Math.min(bytes.remaining(), PRINTED);
        long mixed = print;
        int i = 0;
        for (; i + Long.BYTES <= count; i += Long.BYTES) {
            mixed = (mixed ^ bytes.getLong(from + i)) * 0x9E3779B97F4A7C15L;
        }
        for (; i < count; i++) {
            mixed = (mixed ^ bytes.get(from + i)) * 0x9E3779B97F4A7C15L;
        }
        return mixed;
    }

    /** The listener takes no more. */
    private void leave() {
        if (settles || polling || ackMode != AckMode.AUTO) {
            left = true;
            return;
        }
        ending.lock();
        try {
            left = true;
            keepUnacknowledged(closed.get());
        } catch (JMSException e) {
            throw new IllegalStateException("The consumer leaves this message.", e);
        } finally {
            ending.unlock();
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
                case LEAVE -> {} // it is handled before
            }
        } catch (JMSException | RuntimeException e) {
            fail(e);
        }
    }

    /** Acknowledges one message, as {@link JmsConnection#settlingMode} says; every message before it is settled. */
    private void accept(Message message) throws JMSException {
        if (settlesByTransaction) {
            session.commit();
        } else {
            message.acknowledge();
        }
    }

    /** Gives one message back; every message before it is settled. A client with a way of its own does it here. */
    protected void requeue(Message message) throws JMSException {
        if (settlesByTransaction) {
            session.rollback();
        } else {
            session.recover();
        }
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
            // The broker has rolled back by itself, or the connection is gone, of which its listener is notified.
        }
    }

    /** The JMS session, for a subclass that knows more of the client than JMS says. */
    protected final Session session() {
        return session;
    }

    /** The JMS consumer, for a subclass that knows more of the client than JMS says. */
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
        if (!begin()) {
            return;
        }
        try {
            if (!connection.isLost()) {
                var failure = connection.bounded("acknowledging what was received", () -> {
                    if (polling) {
                        awaitPoll();
                    } else if (!awaitLeaving()) {
                        stopDelivery();
                    }
                    if (open > 0 && left) {
                        acknowledgeWithoutWhatIsLeft();
                    } else if (open > 0) {
                        open = 0;
                        acknowledgeOpen();
                    }
                    return null;
                });
                if (failure != null && !connection.isLost()) {
                    listener.failed(failure);
                }
            }
            var failure = connection.bounded("closing a consumer", () -> {
                try {
                    consumer.close();
                } finally {
                    session.close();
                }
                awaitBroker();
                return null;
            });
            if (failure instanceof TimeoutException && received && !connection.isLost()) {
                listener.failed(new TimeoutException("The broker did not answer when a consumer closed, so nobody knows whether it"
                    + " has the last acknowledgements: " + failure.getMessage()));
            }
        } finally {
            ended = true;
            connection.closed(this);
        }
    }

    /** Waits until the broker has what the client wrote before; for clients whose closing does not. Called once, at the end. */
    protected void awaitBroker() throws JMSException {}

    private boolean begin() {
        return closed.compareAndSet(false, true);
    }

    /** Waits until a delivery has closed the client's consumer, if one does. Returns whether one did. */
    private boolean awaitLeaving() throws InterruptedException {
        ending.lockInterruptibly();
        ending.unlock();
        return left && ackMode == AckMode.AUTO && !settles && closesWhenLeft();
    }

    /** Whether {@link #keepUnacknowledged} closes the client's consumer. */
    protected boolean closesWhenLeft() {
        return true;
    }

    /** The open messages, and some that nobody wants, are one batch or transaction: it is given back, and the open ones are taken again. */
    private void acknowledgeWithoutWhatIsLeft() throws JMSException {
        int count = open;
        open = 0;
        prepareReceiving();
        if (ackMode == AckMode.TRANSACTED) {
            session.rollback();
        } else {
            session.recover();
        }
        long[] wanted = Arrays.copyOf(prints, count);
        Arrays.sort(wanted);
        long[] taken = new long[count];
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AGAIN_MILLIS);
        for (int i = 0; i < count; i++) {
            var message = consumer.receive(Math.max(1, TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime())));
            taken[i] = message == null ? 0 : print(readableEnvelope(message), readableBody(message));
            last = message == null ? last : message;
        }
        Arrays.sort(taken);
        if (!Arrays.equals(wanted, taken)) {
            throw new JMSException("The last " + (count == 1 ? "message was" : count + " messages were")
                + " received but could not be acknowledged without those after " + (count == 1 ? "it" : "them")
                + " that were left; the broker delivers them again.");
        }
        acknowledgeOpen();
    }

    private ByteBuffer readableBody(Message message) {
        try {
            return body(message);
        } catch (JMSException | RuntimeException e) {
            return NO_BODY; // as it was announced
        }
    }

    /** Makes the client's consumer, whose delivery has been stopped, one of which {@code receive} takes messages. */
    protected void prepareReceiving() throws JMSException {}

    /** A poll that begins later does nothing. */
    private void awaitPoll() {
        turn.lock();
        turn.unlock();
    }

    /** Whether messages may be open after their delivery, until a batch or a transaction is full or the consumer closes. */
    protected final boolean keepsOpen() {
        return !settles && ackMode != AckMode.AUTO;
    }

    /**
     * Ends delivery without giving up what was delivered. Returns when no delivery is under way, or earlier when nothing stays
     * open, since closing the client's consumer waits, too. To take the listener away is not enough: Artemis 2.56 does not wait
     * then, and Qpid JMS 2.10 loses a message that is on its way to the listener. JMS promises to wait where the connection stops,
     * which is what this does; a client whose session or consumer can stop has that here, so that others go on.
     */
    protected void stopDelivery() throws JMSException {
        if (keepsOpen()) {
            connection.whileStopped(() -> consumer.setMessageListener(null));
        }
    }
}
