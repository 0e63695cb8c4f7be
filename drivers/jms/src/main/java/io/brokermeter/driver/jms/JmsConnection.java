package io.brokermeter.driver.jms;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a JMS client. Every producer and consumer has a session of its own.
 *
 * <p>Each call to the broker runs on a helper thread and is bounded: by the connect timeout, and while closing by five seconds or the
 * connect timeout, whichever is shorter. Once a closing call has timed out, the connection is considered dead and the rest of it is closed
 * without waiting.
 */
public abstract class JmsConnection implements Connection {

    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    private final jakarta.jms.Connection connection;
    private final ConnectionListener listener;
    private final Duration limit;
    private final Set<JmsProducer> producers = ConcurrentHashMap.newKeySet();
    private final Set<JmsConsumer> consumers = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Throwable> lost = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean unresponsive;
    private volatile boolean silent;
    private volatile boolean keepsBack;
    private final DeliveryStop delivery;

    /**
     * @param connection a connection that the broker has accepted; closed with this object
     * @param limit the longest time that a call to the broker may take
     */
    protected JmsConnection(jakarta.jms.Connection connection, ConnectionListener listener, Duration limit) {
        this.connection = connection;
        this.delivery = new DeliveryStop(connection);
        this.listener = listener;
        this.limit = limit;
    }

    /** Listens for the loss of the connection and starts delivery. To be called once, before anything else. */
    protected void start() throws JMSException {
        connection.setExceptionListener(this::onException);
        connection.start();
    }

    /** Returns the client's connection. */
    protected final jakarta.jms.Connection jms() {
        return connection;
    }

    /** Returns the listener for events of this connection. */
    protected final ConnectionListener listener() {
        return listener;
    }

    /** Returns the longest time that a call to the broker may take. */
    protected final Duration limit() {
        return limit;
    }

    @Override
    public final Producer producer(Destination destination, ProducerSettings settings, SendListener sends) throws Exception {
        return call("creating a producer on " + destination, () -> {
            check(settings);
            var session = connection.createSession(
                settings.transacted() ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
            try {
                var jmsProducer = session.createProducer(jmsDestination(session, destination));
                var producer = newProducer(session, jmsProducer, destination, settings, sends);
                producers.add(producer);
                var cause = lost.get();
                if (cause != null) {
                    producer.lost(cause);
                }
                return producer;
            } catch (UnsupportedOperationException | AbstractMethodError e) {
                closeQuietly(session);
                throw new DriverException("The client cannot send to " + destination + " as is asked for: it has no such"
                    + " producers (" + e.getMessage() + ").", e);
            } catch (JMSException | RuntimeException e) {
                closeQuietly(session);
                throw e;
            }
        });
    }

    @Override
    public final Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener deliveries) throws Exception {
        settings.requireSubscription(destination);
        if (settings.settles() && settings.ackMode() != AckMode.AUTO) {
            throw new DriverException("A consumer that gives messages back or rejects them settles each by itself, so on "
                + destination + " it can have neither transactions nor batches of acknowledgements; leave them out.", null);
        }
        return call("creating a consumer on " + destination, () -> {
            var session = consumerSession(settings);
            try {
                var jmsConsumer = jmsConsumer(session, destination, settings);
                var consumer = newConsumer(session, jmsConsumer, destination, settings, deliveries);
                consumers.add(consumer);
                consumer.start();
                return consumer;
            } catch (InvalidSelectorException e) {
                closeQuietly(session);
                throw new DriverException("The selector '" + settings.selector() + "' on " + destination
                    + " cannot be read (" + e.getMessage() + "); change the selector.", e);
            } catch (UnsupportedOperationException | AbstractMethodError e) {
                closeQuietly(session);
                throw new DriverException("The client cannot receive from " + destination + " as is asked for: it has no such"
                    + " consumers (" + e.getMessage() + ").", e);
            } catch (JMSException | RuntimeException e) {
                closeQuietly(session);
                throw e;
            }
        });
    }

    /**
     * Checks, before a producer is created, the settings that only the broker can judge.
     *
     * @throws DriverException with one sentence for the user, if the broker lacks what the settings ask for
     */
    protected void check(ProducerSettings settings) throws Exception {}

    /** A client's way to request a delivery delay. */
    @FunctionalInterface
    protected interface Delay {

        /**
         * Sets the delay on a producer, or returns the properties of type long that each message needs.
         *
         * @param millis how long the broker holds messages back, in milliseconds
         */
        Map<String, Long> of(MessageProducer producer, long millis) throws JMSException;
    }

    /**
     * Checks that the broker honours delivery delays, for brokers that may deliver at once. Done once per connection.
     *
     * @throws DriverException with one sentence for the user, if the broker delivers a delayed message at once
     */
    protected final void tryDelay(Delay delay) throws Exception {
        if (keepsBack) {
            return;
        }
        var session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
        try {
            if (new DelayTrial(session, delay, System::nanoTime).deliversAtOnce()) {
                throw new DriverException("The broker delivers at once what it should keep back, so a delivery delay means"
                    + " nothing to it; switch its scheduler on (schedulerSupport=\"true\" for ActiveMQ Classic).", null);
            }
            keepsBack = true;
        } finally {
            session.close();
        }
    }

    private MessageConsumer jmsConsumer(Session session, Destination destination, ConsumerSettings settings) throws JMSException {
        var target = consumerTarget(session, destination, settings);
        var name = settings.subscription();
        var selector = settings.selector();
        if (name == null || !(settings.shared() || settings.durable())) {
            return session.createConsumer(target, selector);
        }
        var topic = (Topic) target;
        if (settings.shared()) {
            return settings.durable()
                ? session.createSharedDurableConsumer(topic, name, selector)
                : session.createSharedConsumer(topic, name, selector);
        }
        return session.createDurableConsumer(topic, name, selector, false);
    }

    /** Returns the client's object for a destination to receive from. Clients that set the prefetch there override this method. */
    protected jakarta.jms.Destination consumerTarget(Session session, Destination destination,
            ConsumerSettings settings) throws JMSException {
        return jmsDestination(session, destination);
    }

    /** Creates the session of a consumer. Clients that set the prefetch by session override this method. */
    protected Session consumerSession(ConsumerSettings settings) throws JMSException {
        return connection.createSession(switch (settings.ackMode()) {
            case AUTO -> settings.settles() ? settlingMode() : settings.polling() ? pollingMode() : Session.AUTO_ACKNOWLEDGE;
            case BATCH -> Session.CLIENT_ACKNOWLEDGE;
            case TRANSACTED -> Session.SESSION_TRANSACTED;
        });
    }

    /**
     * Returns the mode of a session whose only consumer settles each message by itself. Transactions of one message each settle exactly
     * with every client: recovering a session in another mode may flag messages as redelivered that were never delivered.
     */
    protected int settlingMode() {
        return Session.SESSION_TRANSACTED;
    }

    /** Returns the mode of a session whose only consumer acknowledges each received message by calling its acknowledge method. */
    private int pollingMode() {
        int settling = settlingMode();
        return settling == Session.SESSION_TRANSACTED ? Session.CLIENT_ACKNOWLEDGE : settling;
    }

    /** Creates the producer. Drivers that know more about their client return their own subclass. */
    protected JmsProducer newProducer(
            Session session, MessageProducer producer, Destination destination, ProducerSettings settings,
            SendListener sends) throws JMSException {
        return new JmsProducer(this, session, producer, settings, sends);
    }

    /** Runs the action while no consumer of this connection delivers, as {@link DeliveryStop#during} specifies. */
    final void whileStopped(DeliveryStop.Action action) throws JMSException {
        delivery.during(action);
    }

    /** Creates the consumer. Drivers that know more about their client return their own subclass. */
    protected JmsConsumer newConsumer(
            Session session, MessageConsumer consumer, Destination destination, ConsumerSettings settings,
            DeliveryListener deliveries) throws JMSException {
        return new JmsConsumer(this, session, consumer, settings, deliveries);
    }

    /** Returns the client's object for a destination. */
    protected jakarta.jms.Destination jmsDestination(Session session, Destination destination) throws JMSException {
        return destination.isTopic() ? session.createTopic(destination.name()) : session.createQueue(destination.name());
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return false;
    }

    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        call("removing the subscription '" + subscription + "' on " + destination, () -> {
            try (var session = connection.createSession(Session.AUTO_ACKNOWLEDGE)) {
                session.unsubscribe(subscription);
            }
            return null;
        });
    }

    /** Returns whether an exception that the client reported means that the connection is lost for good. */
    protected boolean isFinal(JMSException exception) {
        return true;
    }

    /** Returns the reason behind an exception of the client, in words that a user can act on. */
    protected Throwable explain(JMSException exception) {
        return exception.getCause() != null ? exception.getCause() : exception;
    }

    private void onException(JMSException exception) {
        if (isFinal(exception)) {
            lost(explain(exception));
        } else {
            survived(exception);
        }
    }

    /** Handles an exception that the client reported and that the connection survives. */
    protected void survived(JMSException exception) {}

    /** Reports that the connection is lost for good. The first call notifies the producers and the listener, later calls do nothing. */
    protected final void lost(Throwable cause) {
        if (closed.get() || !lost.compareAndSet(null, cause)) {
            return;
        }
        for (var producer : producers) {
            producer.lost(cause);
        }
        listener.lost(cause);
    }

    final boolean isLost() {
        return lost.get() != null;
    }

    final Duration closeLimit() {
        return limit.compareTo(LONGEST_CLOSE) < 0 ? limit : LONGEST_CLOSE;
    }

    /** Returns whether a closing producer has waited for confirmations in vain, so that the next producers wait only briefly. */
    final boolean isSilent() {
        return silent || unresponsive;
    }

    /** Notes that a closing producer has waited for confirmations in vain. */
    final void foundSilent() {
        silent = true;
    }

    /**
     * Returns whether a failure means that the broker refused the request. After any other failure the outcome of the request is unknown:
     * the connection ended, the client's session was closed, or an answer did not arrive in time.
     */
    protected boolean isRefusal(Throwable failure) {
        if (isLost() || closed.get()) {
            return false;
        }
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof IOException || each instanceof TimeoutException || each instanceof InterruptedException
                || each instanceof jakarta.jms.IllegalStateException) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the failure of a commit means that no message of the transaction will be delivered. */
    final boolean isRolledBack(Exception failure) {
        return !isInDoubt(failure) && (failure instanceof TransactionRolledBackException || isRefusal(failure));
    }

    /**
     * Returns whether the outcome of a commit is unknown. ActiveMQ's client reports this itself, without the broker, if it has reconnected
     * and the answer to the commit is missing.
     */
    private static boolean isInDoubt(Exception failure) {
        String message = failure.getMessage();
        return message != null && message.contains("completion in doubt");
    }

    final void closed(JmsProducer producer) {
        producers.remove(producer);
    }

    final void closed(JmsConsumer consumer) {
        consumers.remove(consumer);
    }

    /**
     * Runs one bounded call to the broker and returns its result.
     *
     * @param doing description of the call, for the message of a timeout: "creating a producer on queue://A"
     * @throws IOException with one sentence, if the connection is lost or closed
     * @throws TimeoutException with one sentence, if the broker does not answer within {@link #limit()}
     */
    protected final <T extends @Nullable Object> T call(String doing, Callable<T> work) throws Exception {
        var cause = lost.get();
        if (cause != null || closed.get()) {
            throw new IOException(cause == null ? "The connection is closed."
                : "The connection is lost (" + cause.getMessage() + ").", cause);
        }
        return Bounded.call(limit, doing, work);
    }

    /**
     * Runs one step of a close: bounded by {@link #closeLimit()}, or by a millisecond once the broker is known not to respond.
     *
     * @return the failure, or null
     */
    final @Nullable Exception bounded(String doing, Callable<@Nullable Void> work) {
        try {
            Bounded.call(unresponsive ? Duration.ofMillis(1) : closeLimit(), doing, work);
            return null;
        } catch (TimeoutException e) {
            unresponsive = true;
            return e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        } catch (Exception e) {
            return e;
        }
    }

    private static void closeQuietly(Session session) {
        try {
            session.close();
        } catch (JMSException e) {
            // the exception that led here says more
        }
    }

    @Override
    public final void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        for (var consumer : consumers) {
            consumer.close();
        }
        for (var producer : producers) {
            producer.close();
        }
        bounded("closing the connection", () -> {
            connection.close();
            return null;
        });
        released();
    }

    /** Reports that the client lost its connection and restores it, unless this connection is being closed or was closed. */
    protected final void interrupted(String cause) {
        if (!closed.get()) {
            listener().interrupted(cause);
        }
    }

    /** Releases what the driver holds besides the client's connection; called once, after the connection was closed. */
    protected void released() {}
}
