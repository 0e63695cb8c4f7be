package io.brokermeter.driver.amqp;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.amqp.lean.LeanAmqp;
import io.brokermeter.driver.amqp.lean.LeanAmqp.Transport;
import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.driver.tls.TlsLook;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Parameter;
import jakarta.jms.JMSException;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.util.MetaDataSupport;
import org.jspecify.annotations.Nullable;

/**
 * AMQP 1.0: directly on a socket where {@link LeanAmqp} can, and over {@code qpid-jms-client} otherwise or when the URL's
 * query holds {@code transport=client}. How URLs are read and which defaults are added is told by {@link AmqpUrl}.
 *
 * <p>Unless the URL sets {@code jms.requestTimeout}, requests such as a commit fail after 30 s, or after the connect
 * timeout where that is longer: the client's own default waits for ever for a broker that stopped answering.
 */
public final class AmqpDriver implements Driver {

    private static final long REQUEST_TIMEOUT_MILLIS = 30_000;

    @Override
    public String protocol() {
        return "AMQP";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("amqp", "amqps", "amqpws", "amqpwss");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.DEPTH));
    }

    @Override
    public String client() {
        return LeanAmqp.client() + "; qpid-jms-client " + MetaDataSupport.PROVIDER_VERSION;
    }

    /** Name and version of the client library. */
    static String library() {
        return "qpid-jms-client " + MetaDataSupport.PROVIDER_VERSION;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(new Parameter(LeanAmqp.PARAMETER, "own|client", "own", "Whether connections go over brokermeter's own path,"
            + " where it has what is asked for, or over qpid-jms; brokermeter.transport=lean|jms is the former name."));
    }

    @Override
    public String clientParameters() {
        return "Those of qpid-jms that begin with jms., amqp., transport. or failover.; its documentation describes them.";
    }

    @Override
    public void check(ConnectionSettings settings) {
        var url = AmqpUrl.of(LeanAmqp.strip(text(settings)));
        url.check();
        var obstacle = LeanAmqp.obstacle(rewritten(url, settings));
        if (LeanAmqp.wanted(text(settings)).equals(Optional.of(Transport.OWN)) && !obstacle.isEmpty()) {
            throw new IllegalArgumentException("transport=own does not go together with " + obstacle
                + ", which brokermeter's own AMQP path has not; leave transport=own out.");
        }
    }

    private static ConnectionSettings rewritten(AmqpUrl url, ConnectionSettings settings) {
        return new ConnectionSettings(url.url().reveal(), settings.user(), settings.password(), settings.clientId(),
            settings.connectTimeout());
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return AmqpUrl.of(LeanAmqp.strip(text(settings))).url().redacted();
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        var url = AmqpUrl.of(LeanAmqp.strip(text(settings)));
        var rewritten = rewritten(url, settings);
        if (LeanAmqp.wanted(text(settings)).equals(Optional.of(Transport.CLIENT))) {
            return connectOverJms(rewritten, listener);
        }
        var obstacle = LeanAmqp.obstacle(rewritten);
        if (!obstacle.isEmpty()) {
            var connection = connectOverJms(rewritten, listener);
            listener.notice(LeanAmqp.forced(obstacle, connection));
            return connection;
        }
        try {
            return LeanAmqp.connect(rewritten, listener, AmqpDriver::connectOverJms);
        } catch (DriverException e) {
            throw e;
        } catch (Exception e) {
            throw ConnectFailure.of(url.url(), false, settings, e, Duration.ofMillis(200));
        }
    }

    private static String text(ConnectionSettings settings) {
        return BrokerUrl.of(settings).reveal();
    }

    private static Connection connectOverJms(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        var url = AmqpUrl.of(settings.url());
        var factory = factory(url, settings);
        try {
            return Bounded.call(settings.connectTimeout(), "connecting to " + url.url().redacted(),
                () -> open(factory, settings, listener), Connection::close);
        } catch (Exception e) {
            var left = settings.connectTimeout().minusNanos(System.nanoTime() - start);
            throw ConnectFailure.of(url.url(), url.isTls(), url.isTls() ? look(url.url()) : null, settings, e,
                left.isNegative() ? Duration.ofMillis(200) : left);
        }
    }

    private static @Nullable TlsLook look(BrokerUrl url) {
        return TlsLook.of(
            new TlsNames("transport.trustStoreLocation", "transport.keyStoreLocation", "transport.verifyHost=false"),
            List.of("transport.trustStorePassword", "transport.keyStorePassword"),
            List.of("transport.trustAll", "transport.verifyHost"),
            name -> url.value(name).or(() -> url.value("failover.nested." + name)));
    }

    private static ObservedFactory factory(AmqpUrl url, ConnectionSettings settings) {
        var factory = new ObservedFactory(url.url().reveal());
        long millis = settings.connectTimeout().toMillis();
        if (!url.url().has("jms.requestTimeout")) {
            factory.setRequestTimeout(Math.max(millis, REQUEST_TIMEOUT_MILLIS));
        }
        if (!url.url().has("jms.connectTimeout")) {
            factory.setConnectTimeout(millis);
        }
        if (!url.url().has("jms.closeTimeout")) {
            factory.setCloseTimeout(Math.min(millis, 5000));
        }
        if (settings.clientId() != null) {
            factory.setClientID(settings.clientId());
        }
        return factory;
    }

    /** With a failover URL the client connects no earlier than at start, which then waits until it is connected. */
    private static Connection open(
            ObservedFactory factory, ConnectionSettings settings, ConnectionListener listener) throws JMSException {
        var password = settings.password();
        var jms = settings.user() == null
            ? factory.createConnection()
            : factory.createConnection(settings.user(), password == null ? "" : password.reveal());
        try {
            var connection = new AmqpConnection((JmsConnection) jms, Objects.requireNonNull(factory.provider()),
                listener, settings.connectTimeout());
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
