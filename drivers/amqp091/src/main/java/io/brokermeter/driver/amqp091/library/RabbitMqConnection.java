package io.brokermeter.driver.amqp091.library;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ConnectionFactoryConfigurator;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.RecoveryListener;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import io.brokermeter.driver.amqp091.model.ConnectRefusal;
import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Rejection;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.amqp091.model.Topology;
import io.brokermeter.driver.amqp091.model.TopologyConnection;
import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;

/** A connection over RabbitMQ's Java client. Each producer and each consumer has a channel of its own. */
public final class RabbitMqConnection extends ClientConnection implements TopologyConnection {

    /** Size in bytes of the largest message that is accepted, as on brokermeter's own path. */
    private static final int LARGEST_BODY = 512 * 1024 * 1024;

    private final com.rabbitmq.client.Connection connection;
    private final ConnectionListener listener;
    final Rejection rejection;
    final Options options;
    private final Topology topology;
    /** The reason why the broker accepts no messages at present; empty if it accepts them. */
    volatile String blocked = "";

    private RabbitMqConnection(
            com.rabbitmq.client.Connection connection, Options options, ConnectionSettings settings,
            ConnectionListener listener) {
        super(settings.connectTimeout());
        this.connection = connection;
        this.rejection = Rejection.of(connection.getServerProperties());
        this.options = options;
        this.listener = listener;
        this.topology = new Topology(options, new RabbitMqRequests(this), settings.clientId(), listener);
    }

    /**
     * Connects and logs in.
     *
     * @throws Exception the client's exception; a refusal by the broker as a {@link ReplyException}
     */
    public static RabbitMqConnection connect(Options options, ConnectionSettings settings, ConnectionListener listener) throws Exception {
        List<Address> addresses = new ArrayList<>();
        options.servers().forEach(server -> addresses.add(new Address(server.host(), server.port())));
        try {
            com.rabbitmq.client.Connection made =
                factory(options, settings).newConnection(addresses, options.connectionName);
            RabbitMqConnection connection = new RabbitMqConnection(made, options, settings, listener);
            connection.listen();
            return connection;
        } catch (PossibleAuthenticationFailureException e) {
            ReplyException refusal = new ReplyException(ReplyException.ACCESS_REFUSED, "The login was refused.");
            refusal.initCause(e);
            throw refusal;
        } catch (IOException e) {
            throw readable("It says", e);
        }
    }

    private static ConnectionFactory factory(Options options, ConnectionSettings settings) throws DriverException {
        Factory factory = new Factory();
        int millis = (int) Math.min(settings.connectTimeout().toMillis(), Integer.MAX_VALUE);
        factory.setConnectionTimeout(millis);
        factory.setHandshakeTimeout(millis);
        factory.setShutdownTimeout(1000);
        factory.setChannelRpcTimeout(millis);
        factory.setVirtualHost(options.virtualHost());
        if (options.external) {
            factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
        } else {
            factory.setUsername(ConnectRefusal.user(settings));
            var password = settings.password();
            factory.setPassword(settings.user() == null ? "guest" : password == null ? "" : password.reveal());
        }
        factory.setRequestedHeartbeat(options.limits.heartbeatSeconds());
        factory.setRequestedFrameMax(options.limits.frameMax());
        factory.setRequestedChannelMax(options.limits.channelMax());
        factory.setAutomaticRecoveryEnabled(options.recovers);
        factory.setTopologyRecoveryEnabled(options.recovers);
        factory.setNetworkRecoveryInterval((long) options.recoveryMillis);
        factory.setMaxInboundMessageBodySize(LARGEST_BODY);
        AtomicInteger number = new AtomicInteger();
        factory.setThreadFactory(work -> Thread.ofPlatform().daemon()
            .name("brokermeter-amqp091-client-" + number.incrementAndGet()).unstarted(work));
        factory.setExceptionHandler(new Silent());
        Map<String, String> own = new HashMap<>(options.clientSettings);
        if (options.tls.isPresent()) {
            // The library does not read all of these parameters by itself.
            TlsOptions tls = options.tls.get();
            factory.encrypt(Tls.open(tls).context(), tls.verifyHost() && !tls.trustAll());
        }
        if (!own.isEmpty()) {
            try {
                ConnectionFactoryConfigurator.load(factory, own, "");
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("A setting of RabbitMQ's Java client is wrong: " + e.getMessage(), e);
            }
        }
        Map<String, Object> properties = new LinkedHashMap<>(factory.getClientProperties());
        properties.put("product", "brokermeter");
        factory.setClientProperties(properties);
        return factory;
    }

    /** Allows the host check to be disabled, which the public API does not. */
    private static final class Factory extends ConnectionFactory {

        void encrypt(SSLContext context, boolean verifyHost) {
            useSslProtocol(context, verifyHost);
        }
    }

    /** Suppresses the client's log: failures reach the user through listeners and exceptions. */
    private static final class Silent extends DefaultExceptionHandler {

        @Override
        protected void log(String message, Throwable e) {}
    }

    private void listen() {
        connection.addShutdownListener(this::ended);
        if (connection instanceof Recoverable recoverable) {
            recoverable.addRecoveryListener(new RecoveryListener() {

                @Override
                public void handleRecoveryStarted(Recoverable ignored) {}

                @Override
                public void handleRecovery(Recoverable ignored) {
                    listener.resumed();
                }
            });
        }
        connection.addBlockedListener(new BlockedListener() {

            @Override
            public void handleBlocked(String reason) {
                blocked = reason == null || reason.isBlank() ? "no reason given" : reason;
                listener.notice("The broker blocks the connection and takes no messages: " + blocked + ".");
            }

            @Override
            public void handleUnblocked() {
                blocked = "";
                listener.notice("The broker takes messages again.");
            }
        });
    }

    private void ended(ShutdownSignalException cause) {
        blocked = "";
        if (isClosed() || cause.isInitiatedByApplication()) {
            return;
        }
        IOException reason = readable("The broker closed the connection", cause);
        if (options.recovers) {
            listener.interrupted(String.valueOf(reason.getMessage()));
        } else {
            lost(reason, listener);
        }
    }

    /** Extracts the broker's own words from an exception of the client; {@code what} says what they refer to. */
    static IOException readable(String what, Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 10; depth++) {
            if (each instanceof ShutdownSignalException signal) {
                if (signal.getReason() instanceof com.rabbitmq.client.AMQP.Channel.Close close) {
                    return ReplyException.of(what, close.getReplyCode(), close.getReplyText());
                }
                if (signal.getReason() instanceof com.rabbitmq.client.AMQP.Connection.Close close
                    && !signal.isInitiatedByApplication()) {
                    return ReplyException.of(what, close.getReplyCode(), close.getReplyText());
                }
            }
            each = each.getCause();
        }
        if (thrown instanceof ShutdownSignalException signal) {
            Throwable root = signal.getCause();
            String words = root == null || root.getMessage() == null ? "the broker closed it" : root.getMessage();
            return new IOException("The connection broke: " + words + ".", thrown);
        }
        return thrown instanceof IOException io ? io : new IOException(thrown.getMessage(), thrown);
    }

    // ---- used by producers and consumers

    /** Opens a new channel. */
    Channel channel() throws Exception {
        Channel channel;
        try {
            channel = connection.createChannel();
        } catch (ShutdownSignalException e) {
            throw readable("The broker closed the connection", e);
        }
        if (channel == null) {
            throw new DriverException("One connection to " + options.address() + " allows " + connection.getChannelMax()
                + " producers, consumers and requests at a time; use more connections or raise channel-max.", null);
        }
        return channel;
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /**
     * Closes a channel, in bounded time, since the client's own close has no time limit.
     *
     * @return whether the broker has answered, and so has processed everything sent before
     */
    boolean close(Channel channel) {
        if (!channel.isOpen() || isMute()) {
            return false;
        }
        try {
            Bounded.call(closeLimit(), "closing a channel", () -> {
                channel.close();
                return true;
            }, done -> {});
            return true;
        } catch (TimeoutException e) {
            foundMute();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // closed all the same
        }
        return false;
    }

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        topology.declare(destination);
        return opened(RabbitMqProducer.open(this, destination, topology.route(destination), wanted, sendListener));
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        String queue = topology.source(destination, wanted);
        return opened(RabbitMqConsumer.open(
            this, destination, queue, topology.consumerArguments(destination), wanted, deliveryListener));
    }

    @Override
    public String client() {
        return Options.CLIENT_LIBRARY;
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public Map<String, Object> serverProperties() {
        return connection.getServerProperties();
    }

    @Override
    protected void end() {
        connection.abort((int) Math.max(1, closeLimit().toMillis()));
    }
}
