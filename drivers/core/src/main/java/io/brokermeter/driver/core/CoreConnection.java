package io.brokermeter.driver.core;

import java.time.Duration;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsConsumer;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.FailoverEventType;
import org.apache.activemq.artemis.api.jms.ActiveMQJMSConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.utils.CompositeAddress;
import org.jspecify.annotations.Nullable;

/** A CORE connection. Queues and addresses are created and deleted through the client's own session. */
final class CoreConnection extends JmsConnection {

    /** Types of exceptions after which the outcome of a request is unknown. */
    private static final Set<ActiveMQExceptionType> OPEN_ENDS = EnumSet.of(ActiveMQExceptionType.NOT_CONNECTED,
        ActiveMQExceptionType.CONNECTION_TIMEDOUT, ActiveMQExceptionType.DISCONNECTED, ActiveMQExceptionType.UNBLOCKED,
        ActiveMQExceptionType.IO_ERROR, ActiveMQExceptionType.OBJECT_CLOSED,
        ActiveMQExceptionType.TRANSACTION_OUTCOME_UNKNOWN, ActiveMQExceptionType.REMOTE_DISCONNECT,
        ActiveMQExceptionType.INTERNAL_ERROR);

    private final ActiveMQConnection connection;
    private final ActiveMQConnectionFactory factory;
    private final boolean windowForAll;
    private @Nullable String broker;

    /**
     * @param windowForAll whether sessions of consumers also have the confirmation window of the URL
     */
    CoreConnection(
            ActiveMQConnection connection, ActiveMQConnectionFactory factory, boolean windowForAll, ConnectionListener listener,
            Duration limit) {
        super(connection, listener, limit);
        this.connection = connection;
        this.factory = factory;
        this.windowForAll = windowForAll;
    }

    @Override
    protected void start() throws JMSException {
        if (CoreProtocol.restores(factory.getServerLocator())) {
            connection.setFailoverListener(this::onFailover);
        }
        super.start();
    }

    private void onFailover(FailoverEventType event) {
        switch (event) {
            case FAILURE_DETECTED -> interrupted("the connection to the broker failed");
            case FAILOVER_COMPLETED -> listener().resumed();
            case FAILOVER_FAILED -> {} // the exception listener is notified with the cause
        }
    }

    @Override
    protected boolean isFinal(JMSException exception) {
        return !ActiveMQConnection.EXCEPTION_FAILOVER.equals(exception.getErrorCode());
    }

    /**
     * Returns whether the broker refused. The client's own exceptions carry a type, even on a connection that is ending and not yet
     * reported as lost.
     */
    @Override
    protected boolean isRefusal(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof ActiveMQException known && OPEN_ENDS.contains(known.getType())) {
                return false;
            }
        }
        return super.isRefusal(failure);
    }

    @Override
    protected jakarta.jms.Destination jmsDestination(Session session, Destination destination) {
        return destination.isTopic()
            ? ActiveMQDestination.createTopic(destination.name())
            : ActiveMQDestination.createQueue(destination.name());
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return call("declaring " + destination,
            () -> destination.isTopic() ? declareTopic(destination) : declareQueue(destination));
    }

    private boolean declareQueue(Destination destination) throws Exception {
        var session = connection.getInitialSession();
        var name = queue(destination);
        var query = session.queueQuery(name);
        if (query.isExists()) {
            return false;
        }
        if (!query.isAutoCreateQueues()) {
            throw forbidden(destination);
        }
        session.createQueue(QueueConfiguration.of(name).setAddress(address(destination))
            .setRoutingType(RoutingType.ANYCAST).setDurable(true).setAutoCreated(true));
        return true;
    }

    private boolean declareTopic(Destination destination) throws Exception {
        var session = connection.getInitialSession();
        var query = session.addressQuery(address(destination));
        if (query.isExists()) {
            return false;
        }
        if (!query.isAutoCreateAddresses()) {
            throw forbidden(destination);
        }
        session.createAddress(address(destination), RoutingType.MULTICAST, true);
        return true;
    }

    private static JMSException forbidden(Destination destination) {
        return new jakarta.jms.InvalidDestinationException("The broker has no " + destination
            + " and its settings forbid to create it; create it on the broker or name another destination.");
    }

    /** Deletes a topic with all its subscriptions, or a queue; then its address, unless other queues are bound to it. */
    @Override
    public void delete(Destination destination) throws Exception {
        call("deleting " + destination, () -> {
            var session = connection.getInitialSession();
            if (destination.isTopic()) {
                for (var queue : session.addressQuery(address(destination)).getQueueNames()) {
                    session.deleteQueue(queue);
                }
            } else if (session.queueQuery(queue(destination)).isExists()) {
                session.deleteQueue(queue(destination));
            }
            var address = session.addressQuery(address(destination));
            if (address.isExists() && address.getQueueNames().isEmpty()) {
                Management.deleteAddress(connection, address(destination).toString());
            }
            return null;
        });
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        if (destination.isTopic()) {
            return OptionalLong.empty();
        }
        return call("asking for the depth of " + destination, () -> {
            var query = connection.getInitialSession().queueQuery(queue(destination));
            return query.isExists() ? OptionalLong.of(query.getMessageCount()) : OptionalLong.empty();
        });
    }

    @Override
    protected JmsProducer newProducer(
            Session session, MessageProducer producer, Destination destination, ProducerSettings settings,
            SendListener sends) throws JMSException {
        return new CoreProducer(this, session, producer, settings, sends);
    }

    /** Returns name and version of the broker. The first call asks the broker, which blocks for at most a second. */
    @Override
    public synchronized String broker() {
        if (broker == null) {
            try {
                var version = call("asking for the broker's version", () -> Management.version(connection));
                broker = version.isEmpty() ? "" : "ActiveMQ Artemis " + version;
            } catch (Exception e) {
                broker = "";
            }
        }
        return broker;
    }

    @Override
    public String client() {
        return CorePath.LIBRARY;
    }

    private static SimpleString address(Destination destination) {
        return SimpleString.of(CompositeAddress.extractAddressName(destination.name()));
    }

    private static SimpleString queue(Destination destination) {
        return SimpleString.of(CompositeAddress.extractQueueName(destination.name()));
    }

    @Override
    protected int settlingMode() {
        return ActiveMQJMSConstants.INDIVIDUAL_ACKNOWLEDGE;
    }

    /**
     * Creates a session without a confirmation window, unless all sessions have one: a consumer's session sends nothing that a window would
     * confirm, and with a window the broker would keep it after the connection breaks.
     */
    @Override
    protected Session consumerSession(ConsumerSettings settings) throws JMSException {
        return windowForAll ? super.consumerSession(settings) : CoreProtocol.withoutWindow(() -> super.consumerSession(settings));
    }

    @Override
    protected JmsConsumer newConsumer(
            Session session, MessageConsumer consumer, Destination destination, ConsumerSettings settings,
            DeliveryListener deliveries) {
        return new CoreConsumer(this, session, consumer, settings, deliveries);
    }

    @Override
    protected void released() {
        factory.close();
        ThreadPools.release();
    }
}
