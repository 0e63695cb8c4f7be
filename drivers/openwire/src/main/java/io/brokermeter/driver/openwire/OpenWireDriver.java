package io.brokermeter.driver.openwire;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;
import jakarta.jms.JMSException;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQConnectionMetaData;
import org.apache.activemq.ActiveMQSslConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * The driver for OpenWire over {@code activemq-client}. {@link OpenWireUrl} documents how URLs are read.
 *
 * <p>Unless the URL sets {@code jms.requestTimeout}, requests such as a commit fail after 30 s, or after the connect timeout if that is
 * longer; the client itself waits for ever for a broker that stopped answering. Unless it sets {@code jms.copyMessageOnSend}, messages are
 * not copied, since each is sent once. Unless it sets {@code jms.redeliveryPolicy.initialRedeliveryDelay} and {@code redeliveryDelay}, the
 * client redelivers requeued messages at once.
 *
 * <p>The client has no shared subscriptions, and the protocol does not tell how many messages wait in a queue.
 */
public final class OpenWireDriver implements Driver {

    private static final long REQUEST_TIMEOUT_MILLIS = 30_000;
    private static final long LONGEST_CLOSE_MILLIS = 5000;

    @Override
    public String protocol() {
        return "OPENWIRE";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("openwire", "openwires", "nio", "nio+ssl");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.DEPTH, Capability.SHARED_SUBSCRIPTIONS));
    }

    @Override
    public List<Parameter> parameters() {
        // the client sends the host of the URL, and looks for no other name in the certificate
        return TlsOptions.PARAMETERS.stream().filter(each -> !each.name().equals(TlsOptions.SERVER_NAME)).toList();
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    @Override
    public String clientParameters() {
        return "The parameters of activemq-client as its manual has them for connection URIs: jms.NAME, wireFormat.NAME,"
            + " socket.NAME and those of the TCP and failover transports.";
    }

    @Override
    public String client() {
        return "activemq-client " + ActiveMQConnectionMetaData.PROVIDER_VERSION;
    }

    @Override
    public void check(ConnectionSettings settings) {
        OpenWireUrl.of(this, settings);
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return OpenWireUrl.of(this, settings).url().redacted();
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(52_000, 0, 2, 0);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        var url = OpenWireUrl.of(this, settings);
        var events = new TransportEvents();
        var tls = url.tls().isEmpty() ? null : Tls.open(url.tls().get());
        var factory = factory(url, tls, settings);
        factory.setTransportListener(events);
        try {
            return Bounded.call(settings.connectTimeout(), "connecting to " + url.url().redacted(),
                () -> open(factory, events, settings, listener, url.url().reveal().contains("jms.prefetchPolicy.")), Connection::close);
        } catch (Exception e) {
            throw ConnectFailure.of(url.url(), url.isTls(), tls == null ? null : new CertificateProbe(tls, TlsNames.WITHOUT_SERVER_NAME),
                settings, e, start);
        }
    }

    static ActiveMQConnectionFactory factory(OpenWireUrl url, @Nullable Tls tls, ConnectionSettings settings) throws Exception {
        var factory = tls == null ? new ActiveMQConnectionFactory() : secure(tls);
        factory.setCopyMessageOnSend(false);
        int millis = (int) Math.clamp(settings.connectTimeout().toMillis(), 1, Integer.MAX_VALUE);
        factory.setRequestTimeout((int) Math.max(millis, REQUEST_TIMEOUT_MILLIS));
        factory.setConnectResponseTimeout(millis);
        factory.setCloseTimeout((int) Math.min(millis, LONGEST_CLOSE_MILLIS));
        // after the defaults, so that the values of the URL take precedence
        factory.setBrokerURL(url.url().reveal());
        // One value of a policy in the URL makes the client take another policy, with its own defaults for the rest.
        if (!url.sets("jms.redeliveryPolicy.initialRedeliveryDelay")) {
            factory.getRedeliveryPolicy().setInitialRedeliveryDelay(0);
        }
        if (!url.sets("jms.redeliveryPolicy.redeliveryDelay")) {
            factory.getRedeliveryPolicy().setRedeliveryDelay(0);
        }
        if (settings.clientId() != null) {
            factory.setClientID(settings.clientId());
        }
        if (settings.user() != null) {
            factory.setUserName(settings.user());
            factory.setPassword(settings.password() == null ? "" : settings.password().reveal());
        }
        return factory;
    }

    private static ActiveMQConnectionFactory secure(Tls tls) {
        var factory = new ActiveMQSslConnectionFactory();
        factory.setKeyAndTrustManagers(tls.keyManagers(), tls.trustManagers(), null);
        return factory;
    }

    private static Connection open(
            ActiveMQConnectionFactory factory, TransportEvents events, ConnectionSettings settings,
            ConnectionListener listener, boolean chosen) throws JMSException {
        var jms = (ActiveMQConnection) factory.createConnection();
        try {
            var connection = new OpenWireConnection(jms, events, listener, settings.connectTimeout(), chosen);
            connection.start();
            return connection;
        } catch (JMSException | RuntimeException e) {
            closeQuietly(jms);
            throw e;
        }
    }

    private static void closeQuietly(jakarta.jms.Connection refused) {
        try {
            refused.close();
        } catch (JMSException e) {
            // the exception that led here says more
        }
    }
}
