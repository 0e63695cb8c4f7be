package io.brokermeter.driver.amqp;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.driver.amqp.direct.DirectPath;
import io.brokermeter.driver.amqp.library.QpidConnection;
import io.brokermeter.driver.amqp.library.QpidUrl;
import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.jms.ConnectFailure;
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
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.spi.parameter.Transport;

/**
 * The driver for AMQP 1.0: directly on a socket where {@link DirectPath} can, and over {@code qpid-jms-client} otherwise or if the URL's
 * query contains {@code transport=client}. {@link QpidUrl} describes how URLs are read.
 */
public final class AmqpDriver implements Driver {

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
        return DirectPath.CLIENT + "; " + QpidConnection.CLIENT;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
            new Parameter(DirectPath.SESSION_WINDOW, "N", "0",
                "Frames that the broker may send to a consumer before they are acknowledged to have"
                    + " come, the window of the consumer's session; 0 leaves it to the credit alone. Brokermeter's own path has it."),
            Transport.parameter("Whether connections go over brokermeter's own path,"
                + " where it has what is asked for, or over qpid-jms; brokermeter.transport=lean|jms is the former name."));
    }

    @Override
    public List<StoreParameter> stores() {
        return QpidUrl.STORES;
    }

    @Override
    public String clientParameters() {
        return "Those of qpid-jms that begin with jms., amqp., transport. or failover.; its documentation describes them. Brokermeter's own"
            + " path has jms.prefetchPolicy.all, too.";
    }

    @Override
    public void check(ConnectionSettings settings) {
        var url = url(settings);
        url.check();
        checkLogin(settings, url);
        DirectPath.checkPrefetch(url.url());
        var obstacle = DirectPath.obstacle(rewritten(url, settings));
        transport(settings).check("AMQP", obstacle);
        if (sessionWindow(settings) > 0 && !transport(settings).isOwn(obstacle)) {
            throw new IllegalArgumentException(DirectPath.SESSION_WINDOW + " does not go together with "
                + (obstacle.isEmpty() ? "transport=client" : obstacle)
                + ", since brokermeter's own AMQP path alone has it; leave one of them out.");
        }
    }

    /**
     * Rejects a user without a password: both paths would omit the user name as well, and the broker would treat the connection as
     * anonymous.
     */
    private static void checkLogin(ConnectionSettings settings, QpidUrl url) {
        String user = settings.user();
        Secret password = settings.password();
        boolean complete = user == null || user.isEmpty() || (password != null && !password.reveal().isEmpty());
        if (!complete && !url.needsNoPassword()) {
            throw new Refusal("AMQP tells the broker no user name without a password, so that the connection would be anonymous; give a"
                + " password, or leave out %s.", Setting.USER);
        }
    }

    private static QpidUrl url(ConnectionSettings settings) {
        return QpidUrl.of(DirectPath.strip(BrokerUrl.of(settings)).reveal());
    }

    private static Transport transport(ConnectionSettings settings) {
        return DirectPath.transport(BrokerUrl.of(settings));
    }

    private static int sessionWindow(ConnectionSettings settings) {
        return DirectPath.sessionWindow(BrokerUrl.of(settings));
    }

    private static ConnectionSettings rewritten(QpidUrl url, ConnectionSettings settings) {
        return new ConnectionSettings(url.url().reveal(), settings.user(), settings.password(), settings.clientId(),
            settings.connectTimeout()).withSource(settings.source());
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        if (producer.transacted()) {
            Transport.refuseSource(settings, "Transactions", "qpid-jms");
        }
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {
        if (DirectPath.needsLibrary(consumer)) {
            Transport.refuseSource(settings, "Transactions, durable and shared subscriptions", "qpid-jms");
        }
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return url(settings).url().redacted();
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return transport(settings).isOwn(DirectPath.obstacle(rewritten(url(settings), settings)));
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return transport(settings) == Transport.CLIENT ? QpidConnection.MEMORY : ConnectionMemory.SOCKET.withHeap(24_000);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        var url = url(settings);
        var rewritten = rewritten(url, settings);
        if (transport(settings) == Transport.CLIENT) {
            return QpidConnection.connect(rewritten, listener);
        }
        try {
            return DirectPath.connect(rewritten, sessionWindow(settings), listener);
        } catch (DriverException e) {
            throw e;
        } catch (Exception e) {
            throw ConnectFailure.of(url.url(), false, settings, e, start);
        }
    }
}
