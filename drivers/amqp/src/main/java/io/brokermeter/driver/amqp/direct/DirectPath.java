package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.util.Properties;
import java.util.stream.Stream;

import io.brokermeter.driver.amqp.library.QpidConnection;
import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Transport;
import org.apache.qpid.proton.Proton;

/**
 * The entry point of this package: connects directly where that is possible, and over qpid-jms otherwise.
 *
 * <p>URLs of the form {@code amqp://host:port} and {@code amqps://host:port} are direct if their only parameters are
 * {@code amqp.idleTimeout}, {@code jms.prefetchPolicy.all}, stores and flags of TLS, {@code transport.tcpNoDelay=true} and
 * {@code jms.forceAsyncAcks=true}, and no client id is set. On a direct connection, transactions and durable and shared subscriptions still
 * use a qpid-jms connection beside it.
 */
public final class DirectPath {

    /** The former name of {@link Transport#PARAMETER}. */
    private static final String FORMER_PARAMETER = "brokermeter.transport";

    /** The URL parameter for the incoming window of consumers' sessions, in frames. */
    public static final String SESSION_WINDOW = "session-window";

    /** The qpid-jms parameter for the prefetch: the number of messages that a broker may send ahead. */
    static final String PREFETCH = "jms.prefetchPolicy.all";

    /** Name of this package's client, and version of its codec. */
    public static final String CLIENT = "brokermeter's own AMQP 1.0 path (proton-j " + codecVersion() + " codec)";

    private DirectPath() {}

    /** Removes {@link Transport#PARAMETER} and {@link #SESSION_WINDOW} from a URL. */
    public static BrokerUrl strip(BrokerUrl url) {
        return url.without(Transport.PARAMETER).without(FORMER_PARAMETER).without(SESSION_WINDOW);
    }

    /**
     * Returns the incoming window of consumers' sessions that a URL asks for, in frames; 0 for none.
     *
     * @throws IllegalArgumentException with one sentence for the user, if the value is not a number of frames
     */
    public static int sessionWindow(BrokerUrl url) {
        String value = url.value(SESSION_WINDOW).orElse("0");
        if (!value.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException(SESSION_WINDOW + "=" + value + " must be a number of frames, or 0.");
        }
        return Integer.parseInt(value);
    }

    /** @throws IllegalArgumentException with one sentence for the user, if the URL's prefetch is negative */
    public static void checkPrefetch(BrokerUrl url) {
        String value = url.value(PREFETCH).orElse("");
        if (value.startsWith("-")) {
            throw new IllegalArgumentException(PREFETCH + "=" + value + " must be a number of messages, 0 or more; 0 is one at a time.");
        }
    }

    /** @throws IllegalArgumentException with one sentence for the user, if the URL asks for a transport that there is not */
    public static Transport transport(BrokerUrl url) {
        return Stream.of(Transport.PARAMETER, FORMER_PARAMETER).filter(url::has).findFirst()
            .map(name -> Transport.of(name, url.value(name).orElse(""))).orElse(Transport.ANY);
    }

    /**
     * Returns the setting that only qpid-jms supports, in a few words ("a client id"); empty if a connection can be direct. The URL of the
     * settings must be {@link #strip stripped}.
     */
    public static String obstacle(ConnectionSettings settings) {
        return settings.clientId() != null ? "a client id" : DirectUrl.obstacle(settings.url());
    }

    /** Returns whether such a consumer has qpid-jms also beside a direct connection. */
    public static boolean needsLibrary(ConsumerSettings wanted) {
        return wanted.ackMode() == AckMode.TRANSACTED || wanted.durable() || wanted.shared();
    }

    private static String codecVersion() {
        var properties = new Properties();
        try (var in = Proton.class.getResourceAsStream("/META-INF/maven/org.apache.qpid/proton-j/pom.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // the version stays unknown
        }
        return properties.getProperty("version", "of unknown version");
    }

    /** Connects over qpid-jms, and notifies {@code notices} of the reason. */
    static Connection connectOverLibrary(ConnectionSettings settings, ConnectionListener listener, ConnectionListener notices,
            String obstacle) throws Exception {
        Connection connection = QpidConnection.connect(settings, listener);
        Transport.tell("AMQP goes", connection.client(), obstacle, notices);
        return connection;
    }

    /**
     * Connects. Settings with an {@link #obstacle}, and brokers that require a SASL mechanism other than PLAIN and ANONYMOUS, are left to
     * qpid-jms.
     *
     * @param settings settings with a {@link #strip stripped} URL
     * @throws Exception as {@link io.brokermeter.spi.Driver#connect}
     */
    public static Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return connect(settings, 0, listener);
    }

    /**
     * Connects like {@link #connect(ConnectionSettings, ConnectionListener)}, with a session window.
     *
     * @param sessionWindow result of {@link #sessionWindow}; must be 0 for settings with an {@link #obstacle}
     */
    public static Connection connect(ConnectionSettings settings, int sessionWindow, ConnectionListener listener) throws Exception {
        String obstacle = obstacle(settings);
        if (obstacle.isEmpty()) {
            try {
                DirectUrl url = DirectUrl.read(settings.url()).orElseThrow().withSessionWindow(sessionWindow);
                return AmqpConnection.connect(settings, url, listener);
            } catch (Sasl.MechanismException e) {
                obstacle = "a SASL mechanism other than PLAIN and ANONYMOUS";
                if (sessionWindow > 0) {
                    throw new DriverException("The broker asks for " + obstacle + ", which brokermeter's own AMQP path has not, and "
                        + SESSION_WINDOW + " needs that path; leave it out.", e);
                }
            }
        }
        return connectOverLibrary(settings, listener, listener, obstacle);
    }
}
