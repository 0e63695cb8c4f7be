package io.brokermeter.driver.core;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.core.codec.CodecConnection;
import io.brokermeter.driver.core.codec.CodecUrl;
import io.brokermeter.driver.core.codec.OlderBroker;
import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.driver.jms.JmsNames;
import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.spi.parameter.Transport;
import jakarta.jms.JMSException;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * The driver for CORE, the protocol of Apache Artemis. {@link CoreUrl} documents how URLs are read and which defaults are added.
 *
 * <p>brokermeter speaks the protocol itself ({@link CodecConnection}) and uses {@code artemis-jakarta-client} for what that path has not;
 * {@code transport=client} in the URL selects the latter for all.
 *
 * <p>The client's prefetch is a window in bytes ({@code consumerWindowSize} in the URL), so {@link Capability#PREFETCH}, which counts
 * messages, is not offered. The protocol has no way to reject a message, so {@link Capability#REJECT} is not offered either.
 */
public final class CoreDriver implements Driver {

    @Override
    public String protocol() {
        return "CORE";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("tcp", "core");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.PREFETCH, Capability.REJECT));
    }

    @Override
    public String client() {
        return "brokermeter's own path, and " + CorePath.LIBRARY + " for what that has not";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(CorePath.PARAMETER);
    }

    @Override
    public List<StoreParameter> stores() {
        return List.of(
            new StoreParameter(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, Set.of(TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME,
                TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, TransportConstants.TRUSTSTORE_PROVIDER_PROP_NAME)),
            new StoreParameter(TransportConstants.KEYSTORE_PATH_PROP_NAME, Set.of(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME,
                TransportConstants.KEYSTORE_TYPE_PROP_NAME, TransportConstants.KEYSTORE_PROVIDER_PROP_NAME,
                TransportConstants.KEYSTORE_ALIAS_PROP_NAME)),
            new StoreParameter(TransportConstants.CRL_PATH_PROP_NAME, Set.of()));
    }

    @Override
    public String clientParameters() {
        return "Those of artemis-jakarta-client, as the manual of Artemis describes them.";
    }

    @Override
    public void check(ConnectionSettings settings) {
        var url = CoreUrl.of(BrokerUrl.of(settings).reveal());
        if (!url.isTls()) {
            TlsOptions.refuseWithoutTls(url.url().parameters().stream().map(BrokerUrl.Parameter::name), needTls(),
                "add " + TransportConstants.SSL_ENABLED_PROP_NAME + "=true");
        }
        try (var factory = factory(url, settings)) {
            factory.getServerLocator();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new IllegalArgumentException("URL '" + url.url().redacted() + "' cannot be read by the CORE client: "
                + (e.getCause() == null ? e : e.getCause()).getMessage(), e);
        }
        new CorePath(url, settings).check();
    }

    private Set<String> needTls() {
        return Stream.concat(stores().stream().flatMap(StoreParameter::names),
            Stream.of(TransportConstants.TRUST_ALL_PROP_NAME, TransportConstants.VERIFY_HOST_PROP_NAME)).collect(Collectors.toSet());
    }

    /** Creates the client's factory for a URL that has been checked. The caller closes it. */
    private static ActiveMQConnectionFactory factory(CoreUrl url, ConnectionSettings settings) {
        var factory = new ActiveMQConnectionFactory(url.url().reveal());
        for (var connector : factory.getServerLocator().getStaticTransportConfigurations()) {
            connector.getParams().putIfAbsent(TransportConstants.NETTY_CONNECT_TIMEOUT, timeoutMillis(settings));
        }
        return factory;
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        JmsNames.check(producer);
        if (!CodecConnection.isOwn(destination, producer)) {
            Transport.refuseSource(settings, "Transactions, and topics named with a queue,", "Artemis' client");
        }
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {
        if (!CodecConnection.isOwn(destination, consumer)) {
            Transport.refuseSource(settings,
                "Transactions, polling, messages given back, unshared durable subscriptions, and topics named with a queue,",
                "Artemis' client");
        }
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return CoreUrl.of(BrokerUrl.of(settings).reveal()).url().redacted();
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return new CorePath(CoreUrl.of(BrokerUrl.of(settings).reveal()), settings).isOwn();
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return ConnectionMemory.SOCKET.withHeap(16_000);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        var url = CoreUrl.of(BrokerUrl.of(settings).reveal());
        var path = new CorePath(url, settings);
        if (!path.isUsed(listener)) {
            return connectOverClient(url, settings, listener);
        }
        var codec = CodecUrl.read(url.url(), !url.isWindowChosen());
        Connection connection;
        try {
            connection = CodecConnection.connect(settings, codec, listener,
                (server, beside) -> connectOverClient(url.at(server), settings, beside));
        } catch (OlderBroker e) {
            if (settings.source() != null) {
                throw e;
            }
            path.leave(e, listener);
            return connectOverClient(url, settings, listener);
        }
        if (url.isWindowChosen()) {
            listener.notice(windows(url, codec.confirmationWindow(), codec.producerWindow()));
        }
        return connection;
    }

    private Connection connectOverClient(CoreUrl url, ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        var factory = factory(url, settings);
        if (!url.url().has("blockOnDurableSend")) {
            factory.setBlockOnDurableSend(false);
        }
        if (settings.clientId() != null) {
            factory.setClientID(settings.clientId());
        }
        ThreadPools.retain();
        var protocol = CoreProtocol.install(factory);
        try {
            boolean windowForAll = protocol == null || !url.isWindowChosen();
            var jms = attempt(url, settings, protocol,
                () -> windowForAll ? open(factory, settings) : CoreProtocol.withoutWindow(() -> open(factory, settings)));
            var connection = new CoreConnection(jms, factory, windowForAll, listener, settings.connectTimeout());
            connection.start();
            if (url.isWindowChosen()) {
                listener.notice(windows(url, factory.getConfirmationWindowSize(), factory.getProducerWindowSize()));
            } else if (factory.getConfirmationWindowSize() < 0) {
                listener.notice(CoreUrl.CONFIRMATION_WINDOW + "=" + factory.getConfirmationWindowSize()
                    + " makes a confirmation say no more than that the client has written the message; in the URL "
                    + CoreUrl.CONFIRMATION_WINDOW + "=" + CoreUrl.DEFAULT_CONFIRMATION_WINDOW + " has it come from the broker.");
            }
            return connection;
        } catch (Exception e) {
            factory.close();
            ThreadPools.release();
            if (e instanceof DriverException known) {
                throw known;
            }
            // the client logs the cause and throws an exception without it
            throw ConnectFailure.of(url.url(), url.isTls(), url.isTls() ? look(url) : null, settings,
                protocol == null ? e : protocol.explain(e), start);
        }
    }

    private static String windows(CoreUrl url, int confirmation, int credit) {
        return CoreUrl.CONFIRMATION_WINDOW + "=" + confirmation + " was added to the URL so that a confirmation comes from the broker"
            + (url.isCreditChosen() ? ", and " + CoreUrl.PRODUCER_WINDOW + "=" + credit + " so that credit is asked for seldom" : "")
            + "; a URL that sets " + CoreUrl.CONFIRMATION_WINDOW + " is left as it is.";
    }

    private static ActiveMQConnection attempt(
            CoreUrl url, ConnectionSettings settings, @Nullable CoreProtocol protocol,
            Callable<jakarta.jms.Connection> open) throws Exception {
        var watch = protocol == null ? null : protocol.watch();
        try {
            return (ActiveMQConnection) Bounded.call(settings.connectTimeout(), "connecting to " + url.url().redacted(), open,
                CoreDriver::closeQuietly);
        } finally {
            if (watch != null) {
                watch.cancel(false);
            }
        }
    }

    private static @Nullable CertificateProbe look(CoreUrl url) {
        return CertificateProbe.of(new TlsNames(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, TransportConstants.KEYSTORE_PATH_PROP_NAME,
            TransportConstants.VERIFY_HOST_PROP_NAME + "=false"),
            List.of(TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME),
            List.of(TransportConstants.TRUST_ALL_PROP_NAME, TransportConstants.VERIFY_HOST_PROP_NAME), url.url()::value);
    }

    private static jakarta.jms.Connection open(ActiveMQConnectionFactory factory, ConnectionSettings settings) throws JMSException {
        if (settings.user() == null) {
            return factory.createConnection();
        }
        var password = settings.password();
        return factory.createConnection(settings.user(), password == null ? "" : password.reveal());
    }

    private static void closeQuietly(jakarta.jms.Connection late) {
        try {
            late.close();
        } catch (JMSException e) {
            // the connection has been given up
        }
    }

    private static int timeoutMillis(ConnectionSettings settings) {
        return (int) Math.clamp(settings.connectTimeout().toMillis(), 1, Integer.MAX_VALUE);
    }
}
