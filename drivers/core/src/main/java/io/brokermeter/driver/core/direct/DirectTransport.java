package io.brokermeter.driver.core.direct;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.spi.failure.DriverException;
import jakarta.jms.Session;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The transport of one connection factory, from which one JMS connection may be created. Replaces the client's Netty transport if the URL
 * asks for TCP, with or without TLS; HTTP, proxies and Netty's own settings, of TLS too, use Netty.
 */
public final class DirectTransport {

    /** The key under which a connector finds its transport; the client does not change the values of a configuration. */
    static final String KEY = "brokermeter-lean-transport";

    private static final Duration LONGEST_STALL = Duration.ofSeconds(60);

    private static final Set<String> SUPPORTED = Set.of(
        KEY, TransportConstants.HOST_PROP_NAME, TransportConstants.PORT_PROP_NAME,
        TransportConstants.TCP_NODELAY_PROPNAME, TransportConstants.TCP_SENDBUFFER_SIZE_PROPNAME,
        TransportConstants.TCP_RECEIVEBUFFER_SIZE_PROPNAME, TransportConstants.LOCAL_ADDRESS_PROP_NAME,
        TransportConstants.LOCAL_PORT_PROP_NAME, TransportConstants.NETTY_CONNECT_TIMEOUT);

    private final Duration stallLimit;
    private final Set<Long> inlineChannels = ConcurrentHashMap.newKeySet();
    private volatile long onlyInlineChannel = -1;
    private volatile boolean inlineCompletion;
    private volatile boolean holdSends;
    private volatile @Nullable DirectConnection current;

    private DirectTransport(Duration stallLimit) {
        this.stallLimit = stallLimit;
    }

    /** Creates a transport for a connector that the client created from a configuration without its transport. */
    static DirectTransport detached() {
        return new DirectTransport(LONGEST_STALL);
    }

    /**
     * Gives a factory this transport. To be called before its first connection, and for one connection.
     *
     * @return the transport, or null if the URL needs Netty; the factory is then unchanged
     * @throws DriverException with one sentence if a trust or key store cannot be used
     */
    public static @Nullable DirectTransport install(ActiveMQConnectionFactory factory) throws DriverException {
        var locator = factory.getServerLocator();
        var connectors = locator.getStaticTransportConfigurations();
        if (connectors.length == 0) {
            return null;
        }
        for (var connector : connectors) {
            if (!isEligible(connector)) {
                return null;
            }
        }
        long ttl = factory.getConnectionTTL();
        var transport = new DirectTransport(
            ttl > 0 && ttl < LONGEST_STALL.toMillis() ? Duration.ofMillis(ttl) : LONGEST_STALL);
        for (var connector : connectors) {
            ConnectorTls.open(connector.getParams());
            connector.setFactoryClassName(DirectConnectorFactory.class.getName());
            connector.getParams().put(KEY, transport);
        }
        if (factory.isUseGlobalPools()) {
            transport.inlineCompletion = locator.setThreadPools(
                new InlineExecutor(ActiveMQClient.getGlobalThreadPool()), ActiveMQClient.getGlobalScheduledThreadPool(),
                ActiveMQClient.getGlobalFlowControlThreadPool());
        }
        return transport;
    }

    private static boolean isEligible(TransportConfiguration connector) {
        return obstacle(connector).isEmpty();
    }

    /**
     * Returns the part of a factory's URL that only the client's transport supports, in a few words ("the parameter httpEnabled"); empty if
     * there is none.
     */
    public static String obstacle(ActiveMQConnectionFactory factory) {
        for (var connector : factory.getServerLocator().getStaticTransportConfigurations()) {
            var obstacle = obstacle(connector);
            if (!obstacle.isEmpty()) {
                return obstacle;
            }
        }
        return "";
    }

    /** Returns a sentence that names a trust or key store of a factory's URL that this transport cannot read; empty if there is none. */
    public static String unreadableStore(ActiveMQConnectionFactory factory) {
        try {
            for (var connector : factory.getServerLocator().getStaticTransportConfigurations()) {
                ConnectorTls.options(connector.getParams());
            }
            return "";
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String obstacle(TransportConfiguration connector) {
        if (!NettyConnectorFactory.class.getName().equals(connector.getFactoryClassName())
            && !DirectConnectorFactory.class.getName().equals(connector.getFactoryClassName())) {
            return "the connector " + connector.getFactoryClassName();
        }
        for (var name : connector.getParams().keySet()) {
            if (!SUPPORTED.contains(name) && !ConnectorTls.NAMES.contains(name)) {
                return "the parameter " + name;
            }
        }
        return ConnectorTls.isEnabled(connector.getParams()) ? ConnectorTls.obstacle(connector.getParams()) : "";
    }

    /**
     * Makes messages that are sent without waiting for an answer stay in the connection's buffer until {@link #flush()}, until the buffer
     * is full, or until anything else is sent. From now on every producer of the connection must flush before it pauses.
     */
    public void holdSends() {
        holdSends = true;
    }

    boolean holdsSends() {
        return holdSends;
    }

    /** Writes the messages held back. Blocks only while the socket accepts no more. Does nothing without a connection. */
    public void flush() {
        var connection = current;
        if (connection != null) {
            connection.flushQuietly();
        }
    }

    /**
     * Makes the message listeners of a session run on the connection's reader thread. For sessions that acknowledge without waiting for the
     * broker, whose listeners neither block nor call the client; large messages are delivered by the client's pool nevertheless.
     *
     * @return false if the session's messages are still delivered by the pool
     */
    public boolean deliverInline(Session session) {
        if (!inlineCompletion || !(session instanceof ActiveMQSession jms)
            || !(jms.getCoreSession() instanceof ClientSessionInternal core)
            || !(core.getSessionContext() instanceof ActiveMQSessionContext context)) {
            return false;
        }
        var locator = core.getSessionFactory().getServerLocator();
        if (core.isBlockOnAcknowledge() || locator.getConsumerWindowSize() == 0 || locator.getConsumerMaxRate() > 0) {
            return false;
        }
        long channel = context.getSessionChannel().getID();
        inlineChannels.add(channel);
        onlyInlineChannel = inlineChannels.size() == 1 ? channel : -1;
        return true;
    }

    boolean isInlineDelivery(long channel) {
        return channel == onlyInlineChannel || inlineChannels.contains(channel);
    }

    boolean isInlineCompletion() {
        return inlineCompletion;
    }

    /** Returns the longest time that one write may be blocked before the connection is considered dead. */
    Duration stallLimit() {
        return stallLimit;
    }

    /** Returns why a connection failed; null if it did not fail, if its peer closed it, or if it is one of the client's own transport. */
    public static @Nullable Throwable failure(Connection connection) {
        return connection instanceof DirectConnection lean ? lean.failure() : null;
    }

    void connected(DirectConnection connection) {
        current = connection;
    }

    void disconnected(DirectConnection connection) {
        if (current == connection) {
            current = null;
        }
    }
}
