package io.brokermeter.driver.amqp.library;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsConsumer;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.policy.JmsDefaultPrefetchPolicy;
import org.apache.qpid.jms.provider.Provider;
import org.apache.qpid.jms.provider.ProviderFactory;
import org.apache.qpid.jms.provider.amqp.AmqpSupport;
import org.apache.qpid.jms.util.MetaDataSupport;
import org.jspecify.annotations.Nullable;

/**
 * A connection over {@code qpid-jms-client}. The broker creates destinations when a link to them is attached.
 *
 * <p>Unless the URL sets {@code jms.requestTimeout}, requests (a commit, for example) fail after 30 s, or after the connect timeout if that
 * is longer; the client's own default has no limit.
 */
public final class QpidConnection extends JmsConnection implements ObservedProvider.Observer {

    /** Name and version of the client library. */
    public static final String CLIENT = "qpid-jms-client " + MetaDataSupport.PROVIDER_VERSION;

    private static final long REQUEST_TIMEOUT_MILLIS = 30_000;
    /** The memory of a connection: its client keeps buffers of its own. */
    public static final ConnectionMemory MEMORY = new ConnectionMemory(2_300_000, 50_000, 2, 0);

    /** What the parameters that set a prefetch have in common. */
    private static final String PREFETCH_POLICY = "jms.prefetchPolicy.";

    /**
     * The client's session mode in which each message is settled by itself, with another outcome than accepted if its consumer sets one.
     */
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101;

    private final org.apache.qpid.jms.JmsConnection connection;
    private final ObservedProvider provider;
    private final Set<QpidConsumer> consumers = ConcurrentHashMap.newKeySet();
    /** Whether the URL sets a prefetch. */
    private final boolean chosen;
    private volatile String broker = "";

    private QpidConnection(
            org.apache.qpid.jms.JmsConnection connection, ObservedProvider provider, ConnectionListener listener,
            Duration limit, boolean chosen) {
        super(connection, listener, limit);
        this.connection = connection;
        this.chosen = chosen;
        this.provider = provider;
    }

    /** Connects like {@link io.brokermeter.spi.Driver#connect}, with a URL that {@link QpidUrl} can read. */
    public static Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        var url = QpidUrl.of(settings.url());
        var factory = factory(url, settings);
        try {
            return Bounded.call(settings.connectTimeout(), "connecting to " + url.url().redacted(),
                () -> open(factory, settings, listener, url.url().reveal().contains(PREFETCH_POLICY)), Connection::close);
        } catch (Exception e) {
            throw ConnectFailure.of(url.url(), url.isTls(), url.isTls() ? look(url.url()) : null, settings, e, start);
        }
    }

    private static @Nullable CertificateProbe look(BrokerUrl url) {
        return CertificateProbe.of(QpidUrl.TLS_NAMES,
            List.of("transport.trustStorePassword", "transport.keyStorePassword"),
            List.of("transport.trustAll", "transport.verifyHost"),
            name -> url.value(name).or(() -> url.value("failover.nested." + name)));
    }

    private static Factory factory(QpidUrl url, ConnectionSettings settings) {
        var factory = new Factory(url.url().reveal());
        long millis = settings.connectTimeout().toMillis();
        if (!url.url().has("jms.requestTimeout")) {
            factory.setRequestTimeout(Math.max(millis, REQUEST_TIMEOUT_MILLIS));
        }
        if (!url.url().has("jms.connectTimeout")) {
            // of several brokers one that is silent leaves time for the others
            factory.setConnectTimeout(millis / Math.max(1, url.url().brokers().size()));
        }
        if (!url.url().has("jms.closeTimeout")) {
            factory.setCloseTimeout(Math.min(millis, 5000));
        }
        if (settings.clientId() != null) {
            factory.setClientID(settings.clientId());
        }
        return factory;
    }

    /** Creates one connection, and keeps its provider. */
    private static final class Factory extends JmsConnectionFactory {

        private volatile @Nullable ObservedProvider provider;

        Factory(String url) {
            super(url);
        }

        @Override
        protected Provider createProvider(URI remoteURI) throws Exception {
            var made = new ObservedProvider(ProviderFactory.create(remoteURI));
            provider = made;
            return made;
        }
    }

    /**
     * Opens and starts a connection. With a failover URL the client connects only when it is started, and start blocks until it is
     * connected.
     */
    private static Connection open(Factory factory, ConnectionSettings settings, ConnectionListener listener,
            boolean chosen) throws JMSException {
        var password = settings.password();
        var jms = settings.user() == null
            ? factory.createConnection()
            : factory.createConnection(settings.user(), password == null ? "" : password.reveal());
        try {
            var connection = new QpidConnection((org.apache.qpid.jms.JmsConnection) jms, Objects.requireNonNull(factory.provider),
                listener, settings.connectTimeout(), chosen);
            connection.start();
            return connection;
        } catch (JMSException | RuntimeException e) {
            try {
                jms.close();
            } catch (JMSException refused) {
                e.addSuppressed(refused);
            }
            throw e;
        }
    }

    /**
     * Returns whether a broker knows the outcome modified, which counts a requeued message as delivered before. RabbitMQ before 4 ends the
     * session when it receives this outcome.
     *
     * @param broker result of {@link #broker()}
     */
    public static boolean knowsModified(String broker) {
        return !broker.startsWith("RabbitMQ 3.");
    }

    /**
     * Returns the address of a destination. RabbitMQ decodes an address without a path like a part of a URL, so it is sent what becomes the
     * name; what begins with a slash is an address of its own, such as {@code /exchange/E/key}.
     *
     * @param broker result of {@link #broker()}
     */
    public static String address(String broker, String name) {
        return broker.startsWith("RabbitMQ") && !name.startsWith("/")
            ? name.replace("%", "%25").replace("/", "%2F").replace("+", "%2B") : name;
    }

    /** Returns whether a broker may offer delayed delivery and still deliver at once, as ActiveMQ Classic does without its scheduler. */
    public static boolean mayIgnoreDelays(String broker) {
        return broker.startsWith("ActiveMQ");
    }

    @Override
    protected void start() throws JMSException {
        provider.observer(this);
        super.start();
    }

    @Override
    protected jakarta.jms.Destination jmsDestination(Session session, Destination destination) throws JMSException {
        remember();
        String address = address(broker, destination.name());
        return destination.isTopic() ? session.createTopic(address) : session.createQueue(address);
    }

    @Override
    protected boolean isFinal(JMSException exception) {
        // The provider distinguishes a lost connection from an exception that the connection survives.
        return connection.isFailed();
    }

    @Override
    public void failed(Throwable cause) {
        lost(cause);
    }

    @Override
    public void interrupted(URI broker) {
        interrupted("the connection to " + broker.getHost() + ":" + broker.getPort() + " failed");
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
        if (mayIgnoreDelays(broker)) {
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
        return new QpidProducer(this, session, producer, settings, sends, provider.takeCreatedProducer());
    }

    @Override
    protected JmsConsumer newConsumer(
            Session session, MessageConsumer consumer, Destination destination, ConsumerSettings settings,
            DeliveryListener deliveries) {
        remember();
        var linked = new QpidConsumer(this, session, consumer, settings, deliveries, knowsModified(broker));
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
        return CLIENT;
    }

    /** Returns name and version of the broker, which are known after the first session was opened. */
    @Override
    public String broker() {
        return broker;
    }

    /**
     * Attaches a link, which makes the broker create the destination if it is configured to.
     *
     * @return false: the protocol does not tell whether the destination existed before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        return call("declaring " + destination, () -> {
            try (var session = connection.createSession(Session.AUTO_ACKNOWLEDGE)) {
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
        int fit = settings.fit(JmsDefaultPrefetchPolicy.DEFAULT_QUEUE_PREFETCH);
        if (settings.prefetch() < 0 && (chosen || fit == JmsDefaultPrefetchPolicy.DEFAULT_QUEUE_PREFETCH)) {
            return super.consumerSession(settings);
        }
        // A session takes over the policy that its connection has when the session is created.
        synchronized (connection) {
            var before = connection.getPrefetchPolicy();
            var policy = new JmsDefaultPrefetchPolicy();
            policy.setAll(settings.prefetch() < 0 ? Math.max(fit, settings.batch()) : settings.prefetch());
            connection.setPrefetchPolicy(policy);
            try {
                return super.consumerSession(settings);
            } finally {
                connection.setPrefetchPolicy(before);
            }
        }
    }
}
