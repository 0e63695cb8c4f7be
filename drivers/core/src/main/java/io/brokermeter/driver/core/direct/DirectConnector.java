package io.brokermeter.driver.core.direct;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.Timer;
import io.brokermeter.driver.wire.Wire;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;
import org.apache.activemq.artemis.spi.core.remoting.ClientConnectionLifeCycleListener;
import org.apache.activemq.artemis.spi.core.remoting.ClientProtocolManager;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.apache.activemq.artemis.spi.core.remoting.Connector;
import org.apache.activemq.artemis.utils.ConfigurationHelper;
import org.apache.activemq.artemis.utils.IPV6Util;
import org.jspecify.annotations.Nullable;

/**
 * Opens TCP connections to one host and port, with TLS if the URL asks for it. For a failed attempt it returns null, as the client requires;
 * the thread that connects finds the cause by trying the address again.
 */
final class DirectConnector implements Connector, ConnectionEvents {

    /** The connect timeout in milliseconds if neither the URL nor the driver sets one. */
    private static final int DEFAULT_CONNECT_MILLIS = 10_000;

    private final Map<String, Object> configuration;
    private final BufferHandler handler;
    private final ClientConnectionLifeCycleListener listener;
    private final Executor closeExecutor;
    private final ClientProtocolManager protocolManager;
    private final DirectTransport transport;
    private final String host;
    private final int port;
    private final Set<DirectConnection> connections = ConcurrentHashMap.newKeySet();
    private volatile boolean started;

    DirectConnector(
            Map<String, Object> configuration, BufferHandler handler, ClientConnectionLifeCycleListener listener,
            Executor closeExecutor, ClientProtocolManager protocolManager) {
        this.configuration = configuration;
        this.handler = handler;
        this.listener = listener;
        this.closeExecutor = closeExecutor;
        this.protocolManager = protocolManager;
        this.transport = configuration.get(DirectTransport.KEY) instanceof DirectTransport known
            ? known : DirectTransport.detached();
        this.host = host(configuration);
        this.port = port(configuration);
    }

    @Override
    public void start() {
        started = true;
    }

    @Override
    public boolean isStarted() {
        return started;
    }

    @Override
    public @Nullable Connection createConnection() {
        if (!started) {
            return null;
        }
        try {
            var connection = open();
            connections.add(connection);
            listener.connectionCreated(null, connection, protocolManager);
            transport.connected(connection);
            connection.start();
            return connection;
        } catch (IOException | RuntimeException e) {
            return null; // the connecting thread tries the address again to find the cause
        }
    }

    private DirectConnection open() throws IOException {
        var address = new InetSocketAddress(IPV6Util.stripBracketsAndZoneID(host), port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(host);
        }
        var channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, ConfigurationHelper.getBooleanProperty(
                TransportConstants.TCP_NODELAY_PROPNAME, TransportConstants.DEFAULT_TCP_NODELAY, configuration));
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            buffer(channel, StandardSocketOptions.SO_SNDBUF, TransportConstants.TCP_SENDBUFFER_SIZE_PROPNAME);
            buffer(channel, StandardSocketOptions.SO_RCVBUF, TransportConstants.TCP_RECEIVEBUFFER_SIZE_PROPNAME);
            bind(channel);
            connect(channel.socket(), address);
            return new DirectConnection(channel, wire(channel), configuration, handler, this, transport);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Performs the TLS handshake, if the URL asks for TLS, for at most the connect timeout. */
    private Wire wire(SocketChannel channel) throws IOException {
        var tls = ConnectorTls.of(configuration);
        if (tls == null) {
            if (ConnectorTls.isEnabled(configuration)) {
                throw new IOException("The connector to " + host + ":" + port + " has no settings of TLS.");
            }
            return Wire.over(channel);
        }
        var guard = Timer.after(TimeUnit.MILLISECONDS.toNanos(connectMillis()), () -> closeQuietly(channel));
        try {
            return Wire.over(channel, tls, IPV6Util.stripBracketsAndZoneID(host), port);
        } finally {
            guard.cancel(false);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // closed all the same
        }
    }

    /** Sets a buffer size if the URL names one; otherwise the system's own tuning does better than any fixed number. */
    private void buffer(SocketChannel channel, java.net.SocketOption<Integer> option, String key) throws IOException {
        int size = ConfigurationHelper.getIntProperty(key, -1, configuration);
        if (size > 0) {
            channel.setOption(option, size);
        }
    }

    private void bind(SocketChannel channel) throws IOException {
        int localPort = ConfigurationHelper.getIntProperty(
            TransportConstants.LOCAL_PORT_PROP_NAME, TransportConstants.DEFAULT_LOCAL_PORT, configuration);
        var localAddress = ConfigurationHelper.getStringProperty(
            TransportConstants.LOCAL_ADDRESS_PROP_NAME, TransportConstants.DEFAULT_LOCAL_ADDRESS, configuration);
        if (localAddress != null) {
            channel.bind(new InetSocketAddress(localAddress, localPort));
        } else if (localPort != 0) {
            channel.bind(new InetSocketAddress(localPort));
        }
    }

    private void connect(Socket socket, InetSocketAddress address) throws IOException {
        try {
            socket.connect(address, connectMillis());
        } catch (SocketTimeoutException e) {
            var named = new SocketTimeoutException("Connect to " + host + ":" + port + " timed out.");
            named.initCause(e);
            throw named;
        }
    }

    private int connectMillis() {
        int millis = ConfigurationHelper.getIntProperty(
            TransportConstants.NETTY_CONNECT_TIMEOUT, DEFAULT_CONNECT_MILLIS, configuration);
        return millis > 0 ? millis : DEFAULT_CONNECT_MILLIS;
    }

    /** Closes the connections; returns when none of their threads is inside the client any more, or after a bounded wait. */
    @Override
    public void close() {
        if (!started) {
            return;
        }
        started = false;
        for (var connection : connections) {
            connection.end();
            connection.awaitReader();
            destroyed(connection, false);
        }
    }

    @Override
    public void destroyed(DirectConnection connection, boolean failed) {
        if (connections.remove(connection)) {
            // Never on the thread that noticed the end: the client may reconnect within this call.
            closeExecutor.execute(() -> listener.connectionDestroyed(connection.getID(), failed));
        }
    }

    @Override
    public void failed(DirectConnection connection, Throwable cause) {
        if (connections.remove(connection)) {
            var exception = new ActiveMQException(cause.getMessage() == null ? cause.toString() : cause.getMessage());
            exception.initCause(cause);
            closeExecutor.execute(() -> listener.connectionException(connection.getID(), exception));
        }
    }

    @Override
    public boolean isEquivalent(Map<String, Object> other) {
        if (port != port(other)) {
            return false;
        }
        if (host.equals(host(other))) {
            return true;
        }
        try {
            return InetAddress.getByName(host).equals(InetAddress.getByName(host(other)));
        } catch (UnknownHostException e) {
            return false;
        }
    }

    static String host(Map<String, Object> configuration) {
        return ConfigurationHelper.getStringProperty(
            TransportConstants.HOST_PROP_NAME, TransportConstants.DEFAULT_HOST, configuration);
    }

    static int port(Map<String, Object> configuration) {
        return ConfigurationHelper.getIntProperty(
            TransportConstants.PORT_PROP_NAME, TransportConstants.DEFAULT_PORT, configuration);
    }

    @Override
    public String toString() {
        return "lean connector to " + host + ":" + port;
    }
}
