package io.brokermeter.driver.jms;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.parameter.PropertyText;
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
 * <p>A message is counted when it is delivered. The acknowledgement of an incomplete batch, and the commit of an incomplete transaction,
 * stay open until the batch is full or the consumer is closed, even while no messages arrive: a JMS session belongs to its delivery thread,
 * and the open messages of an idle consumer are not lost, since they have been reported already and closing acknowledges them.
 *
 * <p>A consumer that may requeue or reject messages settles each message by itself. So does a polled consumer without batches and
 * transactions, since a session that acknowledges automatically does so before the listener has seen the message.
 *
 * <p>A message that is left ({@link Settlement#LEAVE}) already belongs to the transaction or batch in which the client delivered it, and
 * JMS cannot exclude it. Therefore such a consumer, when it closes, rolls back the whole transaction or recovers the whole batch, receives
 * the accepted messages again without reporting them a second time, and acknowledges only those. If another consumer has received some of
 * them, it reports that and acknowledges nothing. A consumer that acknowledges each message closes during the delivery of the message that
 * is left.
 */
public class JmsConsumer implements Consumer, MessageListener {

    private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

    private final JmsConnection connection;
    private final Session session;
    private final MessageConsumer consumer;
    private final DeliveryListener listener;
    private final AckMode ackMode;
    private final boolean settles;
    private final boolean settlesByTransaction;
    private final boolean polling;
    /** Held during a poll. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Held while a message is left by closing the client's consumer, and at the start of {@link #close()}. */
    private final ReentrantLock ending = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean left;
    private volatile boolean received;

    // owned by the delivery thread; passes to the closing thread when delivery has ended
    private final PayloadBuffers buffers = new PayloadBuffers();
    /** The open messages, delivered and not acknowledged. */
    private final BatchPrints open;
    private @Nullable Message last;

    protected JmsConsumer(
            JmsConnection connection, Session session, MessageConsumer consumer, ConsumerSettings settings,
            DeliveryListener listener) {
        this.connection = connection;
        this.session = session;
        this.consumer = consumer;
        this.listener = listener;
        this.ackMode = settings.ackMode();
        this.open = new BatchPrints(Math.max(1, settings.batch()));
        this.settles = settings.settles();
        this.settlesByTransaction = connection.settlingMode() == Session.SESSION_TRANSACTED;
        this.polling = settings.polling();
    }

    /** Starts delivery, unless this consumer is polled. */
    void start() throws JMSException {
        if (!polling) {
            consumer.setMessageListener(this);
        }
    }

    @Override
    public final boolean needsPolling() {
        return polling;
    }

    /** Delivers the next message, if one arrives within the limit. */
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
            leave(); // it goes back with the message that was left
            return;
        }
        var body = NO_BODY;
        boolean redelivered = false;
        try {
            redelivered = message.getJMSRedelivered();
            body = body(message);
        } catch (JMSException | RuntimeException e) {
            // The body of a foreign message cannot be read: it counts as a message without a body.
            body = NO_BODY;
        }
        var envelope = readableEnvelope(message);
        long print = ackMode == AckMode.AUTO ? 0 : BatchPrints.of(envelope, body);
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
            if (open.add(print)) {
                acknowledge();
            }
        } else if (polling) {
            acknowledgePolled(message);
        }
    }

    /**
     * Keeps the client from acknowledging the message whose listener is about to return. JMS has no better way than closing the consumer
     * within its listener; drivers whose client has one override this method.
     *
     * @param beingClosed whether the consumer is being closed already, so that the client does not deliver the message to it again
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

    /** Handles a message that the listener has left: nothing is delivered any more. */
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
            // a foreign property of the same name
            return null;
        }
    }

    /** Returns the bytes of the property that carries the envelope, valid until the next call; null if there is none. */
    protected @Nullable ByteBuffer envelope(Message message) throws JMSException {
        return envelope(message.getObjectProperty(Payload.PROPERTY));
    }

    /** Decodes a value of the envelope property. Returns its bytes, valid until the next call; null if it is no envelope. */
    protected final @Nullable ByteBuffer envelope(@Nullable Object value) {
        return buffers.envelope(value);
    }

    private void settle(Message message, Settlement answer) {
        try {
            switch (answer) {
                case ACCEPT -> accept(message);
                case REQUEUE -> requeue(message);
                case REJECT -> reject(message);
                case LEAVE -> {} // handled before
            }
        } catch (JMSException | RuntimeException e) {
            if (answer != Settlement.ACCEPT) {
                // The next acknowledgement would include this message.
                left = true;
            }
            fail(e);
        }
    }

    /** Acknowledges one message, as {@link JmsConnection#settlingMode} requires; every message before it has been settled. */
    private void accept(Message message) throws JMSException {
        if (settlesByTransaction) {
            session.commit();
        } else {
            message.acknowledge();
        }
    }

    /** Gives one message back; every message before it has been settled. Drivers whose client has its own way override this method. */
    protected void requeue(Message message) throws JMSException {
        if (settlesByTransaction) {
            session.rollback();
        } else {
            session.recover();
        }
    }

    /** Rejects one message for good; every message before it has been settled. Overridden by drivers whose client can reject. */
    protected void reject(Message message) throws JMSException {
        throw new UnsupportedOperationException("This client cannot reject messages.");
    }

    /**
     * Returns the body of a message between position and limit; used by one thread, and valid until the next call.
     *
     * @return an empty buffer for a message that is no bytes message
     */
    protected ByteBuffer body(Message message) throws JMSException {
        if (!(message instanceof BytesMessage bytesMessage)) {
            return NO_BODY;
        }
        return buffers.body(bytesMessage);
    }

    /** Copies a body that the client holds as an array, for implementations of {@link #body}; valid until the next call. */
    protected final ByteBuffer copied(byte[] data, int offset, int length) {
        return buffers.copied(data, offset, length);
    }

    private void acknowledge() {
        open.clear();
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
            // The next commit would include the messages of this transaction.
            left = true;
        }
    }

    /** Returns the JMS session, for subclasses that use more of the client than JMS specifies. */
    protected final Session session() {
        return session;
    }

    /** Returns the JMS consumer, for subclasses that use more of the client than JMS specifies. */
    protected final MessageConsumer jmsConsumer() {
        return consumer;
    }

    /** Reports that the consumer cannot continue, though its connection can. Has no effect after a close. */
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
                    if (open.count() > 0 && left) {
                        acknowledgeWithoutWhatIsLeft();
                    } else if (open.count() > 0) {
                        open.clear();
                        acknowledgeOpen();
                    }
                    if (settles || polling || ackMode != AckMode.AUTO) {
                        awaitAcknowledged();
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

    /**
     * Waits until the broker has answered the acknowledgements of this consumer, for clients that do not wait themselves and would take
     * such an answer for that to a close. Called once, when nothing is delivered any more.
     */
    protected void awaitAcknowledged() throws JMSException {}

    /** Waits until the broker has received what the client wrote before, for clients whose close does not wait. Called once, at the end. */
    protected void awaitBroker() throws JMSException {}

    private boolean begin() {
        return closed.compareAndSet(false, true);
    }

    /** Waits for a delivery in progress that closes the client's consumer. Returns whether the consumer was closed in this way. */
    private boolean awaitLeaving() throws InterruptedException {
        ending.lockInterruptibly();
        ending.unlock();
        return left && ackMode == AckMode.AUTO && !settles && closesWhenLeft();
    }

    /** Returns whether {@link #keepUnacknowledged} closes the client's consumer. */
    protected boolean closesWhenLeft() {
        return true;
    }

    /**
     * Acknowledges the open messages without those that were left. Both belong to one batch or transaction, which is given back; then the
     * open messages are received again.
     */
    private void acknowledgeWithoutWhatIsLeft() throws JMSException {
        prepareReceiving();
        if (ackMode == AckMode.TRANSACTED) {
            session.rollback();
        } else {
            session.recover();
        }
        last = open.receiveAgain(consumer, message -> BatchPrints.of(readableEnvelope(message), readableBody(message)));
        acknowledgeOpen();
    }

    private ByteBuffer readableBody(Message message) {
        try {
            return body(message);
        } catch (JMSException | RuntimeException e) {
            return NO_BODY; // as it was delivered
        }
    }

    /** Prepares the client's consumer, whose delivery has been stopped, for calls of {@code receive}. */
    protected void prepareReceiving() throws JMSException {}

    /** Waits for a poll in progress; a poll that begins later does nothing. */
    private void awaitPoll() {
        turn.lock();
        turn.unlock();
    }

    /** Returns whether messages may be open after their delivery, until a batch or transaction is full or the consumer closes. */
    protected final boolean keepsOpen() {
        return !settles && ackMode != AckMode.AUTO;
    }

    /**
     * Ends delivery without giving up what was delivered. Returns when no delivery is in progress, or earlier if no message stays open,
     * since closing the client's consumer waits as well. Removing the listener is not enough: Artemis 2.56 does not wait then, and Qpid JMS
     * 2.10 loses a message that is on its way to the listener. JMS specifies that stopping the connection waits, which is what this method
     * does; drivers whose client can stop a single session or consumer override it, so that other consumers continue.
     */
    protected void stopDelivery() throws JMSException {
        if (keepsOpen()) {
            connection.whileStopped(() -> consumer.setMessageListener(null));
        }
    }
}
