package io.brokermeter.driver.amqp;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.amqp.lean.LeanAmqp;
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
import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.policy.JmsDefaultPrefetchPolicy;
import org.apache.qpid.jms.provider.amqp.AmqpSupport;

/** An AMQP connection. The broker creates destinations when a link to them is attached. */
final class AmqpConnection extends JmsConnection implements ObservedProvider.Observer {

    /** The client's mode in which each message is settled by itself, and otherwise than accepted if its consumer wants. */
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101;

    private final org.apache.qpid.jms.JmsConnection connection;
    private final ObservedProvider provider;
    private final Set<LinkedConsumer> consumers = ConcurrentHashMap.newKeySet();
    private volatile String broker = "";

    AmqpConnection(
            org.apache.qpid.jms.JmsConnection connection, ObservedProvider provider, ConnectionListener listener,
            Duration limit) {
        super(connection, listener, limit);
        this.connection = connection;
        this.provider = provider;
    }

    @Override
    protected void start() throws JMSException {
        provider.observe(this);
        super.start();
    }

    @Override
    protected boolean isFinal(JMSException exception) {
        // The provider tells a lost connection from an exception that it survives.
        return connection.isFailed();
    }

    @Override
    public void failed(Throwable cause) {
        lost(cause);
    }

    @Override
    public void interrupted(URI broker) {
        listener().interrupted("the connection to " + broker.getHost() + ":" + broker.getPort() + " failed");
    }

    @Override
    public void restored() {
        listener().resumed();
    }

    @Override
    public void closed(JmsResource resource, Throwable cause) {
        consumers.forEach(consumer -> consumer.closed(resource, cause));
    }

    @Override
    protected void check(ProducerSettings settings) throws Exception {
        if (settings.delayMillis() == 0) {
            return;
        }
        if (broker.isEmpty()) {
            try (var session = connection.createSession(Session.AUTO_ACKNOWLEDGE)) {
                remember();
            }
        }
        if (LeanAmqp.mayIgnoreDelays(broker)) {
            tryDelay((sender, millis) -> {
                sender.setDeliveryDelay(millis);
                return Map.of();
            });
        }
    }

    @Override
    protected JmsProducer newProducer(
            Session session, MessageProducer producer, Destination destination, ProducerSettings settings,
            SendListener sends) throws JMSException {
        remember();
        return new LinkedProducer(this, session, producer, settings, sends, provider.takeCreatedProducer());
    }

    @Override
    protected JmsConsumer newConsumer(
            Session session, MessageConsumer consumer, Destination destination, ConsumerSettings settings,
            DeliveryListener deliveries) {
        remember();
        var linked = new LinkedConsumer(this, session, consumer, settings, deliveries, LeanAmqp.knowsModified(broker));
        consumers.add(linked);
        return linked;
    }

    private void remember() {
        if (broker.isEmpty()) {
            var properties = provider.brokerProperties();
            var product = properties.get(AmqpSupport.PRODUCT);
            var version = properties.get(AmqpSupport.VERSION);
            broker = product == null ? "" : version == null ? product.toString() : product + " " + version;
        }
    }

    @Override
    public String client() {
        return AmqpDriver.library();
    }

    /** Known as soon as there was a session. */
    @Override
    public String broker() {
        return broker;
    }

    /**
     * Attaches a link, which makes the broker create the destination where it may.
     *
     * @return false: the protocol does not say whether the destination was there before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        return call("declaring " + destination, () -> {
            try (var session = connection.createSession(Session.AUTO_ACKNOWLEDGE)) {
                remember();
                session.createProducer(jmsDestination(session, destination)).close();
                provider.takeCreatedProducer();
            }
            return false;
        });
    }

    @Override
    protected int settlingMode() {
        return INDIVIDUAL_ACKNOWLEDGE;
    }

    @Override
    protected Session consumerSession(ConsumerSettings settings) throws JMSException {
        if (settings.prefetch() < 0) {
            return super.consumerSession(settings);
        }
        // A session takes the policy that its connection has when it is made.
        synchronized (connection) {
            var before = connection.getPrefetchPolicy();
            var policy = new JmsDefaultPrefetchPolicy();
            policy.setAll(settings.prefetch());
            connection.setPrefetchPolicy(policy);
            try {
                return super.consumerSession(settings);
            } finally {
                connection.setPrefetchPolicy(before);
            }
        }
    }
}
