package io.brokermeter.driver.openwire;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

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
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQPrefetchPolicy;
import org.apache.activemq.ScheduledMessage;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.command.DestinationInfo;

/** An OpenWire connection. */
final class OpenWireConnection extends JmsConnection implements TransportEvents.Observer {

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final ActiveMQConnection connection;
    private final TransportEvents events;
    private final boolean chosen;

    /** @param chosen whether the URL sets a prefetch */
    OpenWireConnection(
            ActiveMQConnection connection, TransportEvents events, ConnectionListener listener, Duration limit, boolean chosen) {
        super(connection, listener, limit);
        this.chosen = chosen;
        this.connection = connection;
        this.events = events;
    }

    @Override
    protected void start() throws JMSException {
        super.start();
        events.observe(this);
    }

    @Override
    public void failed(IOException cause) {
        lost(explained(cause));
    }

    @Override
    public void interrupted() {
        interrupted("the connection to the broker failed");
    }

    @Override
    public void restored() {
        listener().resumed();
    }

    /**
     * Returns whether the exception ends the connection. Exceptions of the transport are reported here before they end it; the others are
     * answers of the broker.
     */
    @Override
    protected boolean isFinal(JMSException exception) {
        return exception.getCause() instanceof IOException;
    }

    @Override
    protected Throwable explain(JMSException exception) {
        return exception.getCause() instanceof IOException cause ? explained(cause) : exception;
    }

    @Override
    protected void survived(JMSException exception) {
        listener().notice("The broker reports a failure: " + exception.getMessage());
    }

    private static IOException explained(IOException cause) {
        return cause instanceof EOFException || cause.getMessage() == null
            ? new IOException("the broker closed the connection", cause) : cause;
    }

    @Override
    protected ActiveMQDestination jmsDestination(Session session, Destination destination) {
        return destination(destination, "");
    }

    private static ActiveMQDestination destination(Destination destination, String options) {
        return destination.isTopic()
            ? new ActiveMQTopic(destination.name() + options) : new ActiveMQQueue(destination.name() + options);
    }

    @Override
    protected ActiveMQDestination consumerTarget(Session session, Destination destination, ConsumerSettings settings) {
        // The client cannot use listeners without a prefetch.
        int prefetch = Math.max(settings.polling() ? 0 : 1, settings.prefetch());
        if (settings.prefetch() < 0) {
            ActiveMQPrefetchPolicy policy = connection.getPrefetchPolicy();
            int usual = !destination.isTopic() ? policy.getQueuePrefetch()
                : settings.durable() ? policy.getDurableTopicPrefetch() : policy.getTopicPrefetch();
            prefetch = chosen ? usual : Math.min(usual, Math.max(settings.fit(usual), settings.batch()));
            if (prefetch == usual || destination.name().contains("consumer.prefetchSize=")) {
                return destination(destination, "");
            }
        }
        return destination(destination, (destination.name().indexOf('?') < 0 ? "?" : "&") + "consumer.prefetchSize=" + prefetch);
    }

    /** @return false: the protocol does not tell whether the destination existed before */
    @Override
    public boolean declare(Destination destination) throws Exception {
        call("declaring " + destination, () -> {
            connection.syncSendPacket(new DestinationInfo(connection.getConnectionInfo().getConnectionId(),
                DestinationInfo.ADD_OPERATION_TYPE, destination(destination, "")));
            return null;
        });
        return false;
    }

    @Override
    public void delete(Destination destination) throws Exception {
        call("deleting " + destination, () -> {
            connection.destroyDestination(destination(destination, ""));
            return null;
        });
    }

    @Override
    protected JmsProducer newProducer(
            Session session, MessageProducer producer, Destination destination, ProducerSettings settings,
            SendListener sends) throws JMSException {
        return new OpenWireProducer(this, session, producer, settings, sends, connection.isUseCompression());
    }

    @Override
    protected void check(ProducerSettings settings) throws Exception {
        if (settings.delayMillis() > 0) {
            tryDelay((sender, millis) -> Map.of(ScheduledMessage.AMQ_SCHEDULED_DELAY, millis));
        }
    }

    @Override
    protected int settlingMode() {
        return Session.CLIENT_ACKNOWLEDGE;
    }

    @Override
    protected JmsConsumer newConsumer(
            Session session, MessageConsumer consumer, Destination destination, ConsumerSettings settings,
            DeliveryListener deliveries) {
        return new OpenWireConsumer(this, connection, session, consumer, settings, deliveries);
    }

    /**
     * Returns name and version of the broker. Artemis reports the version of the ActiveMQ library with which it reads OpenWire, which does
     * not identify the broker; it is recognized by its broker id, a UUID, whereas the ids of ActiveMQ begin with {@code ID:}.
     */
    @Override
    public String broker() {
        var info = events.broker();
        if (info != null && info.getBrokerId() != null && UUID.matcher(info.getBrokerId().getValue()).matches()) {
            return "ActiveMQ Artemis";
        }
        var peer = events.peer();
        try {
            if (peer == null || peer.getProviderName() == null) {
                return "";
            }
            return peer.getProviderVersion() == null ? peer.getProviderName()
                : peer.getProviderName() + " " + peer.getProviderVersion();
        } catch (IOException e) {
            return "";
        }
    }
}
