package io.brokermeter.driver.amqp.lean;

import java.io.IOException;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import org.apache.qpid.proton.Proton;
import org.jspecify.annotations.Nullable;

/**
 * The way into this package: connects directly where that is possible, and over qpid-jms where it is not.
 *
 * <p>Direct are URLs of the form {@code amqp://host:port} and {@code amqps://host:port} with no other parameters than {@code amqp.idleTimeout},
 * {@code jms.prefetchPolicy.all}, stores and flags of TLS, {@code transport.tcpNoDelay=true} and {@code jms.forceAsyncAcks=true}, and no client id. On
 * such a connection, transactions and durable and shared subscriptions still go over a qpid-jms connection beside it.
 * {@code transport=client} in the URL's query chooses qpid-jms for everything; it is taken out before the URL is used.
 */
public final class LeanAmqp {

    /** The parameter of the URL that chooses: {@code client} for qpid-jms, {@code own} for this package. */
    public static final String PARAMETER = "transport";

    /** Its former name, with the values {@code jms} and {@code lean}. */
    public static final String FORMER_PARAMETER = "brokermeter.transport";

    /** What carries a connection. */
    public enum Transport { OWN, CLIENT }

    private static final String CODEC = codecVersion();

    private LeanAmqp() {}

    /**
     * Takes {@link #PARAMETER} out of a URL.
     *
     * @throws IllegalArgumentException with one sentence for the user, when its value is neither own nor client
     */
    public static String strip(String url) {
        var rest = new StringBuilder();
        eachParameter(url, (text, transport) -> {
            if (transport == null) {
                rest.append(rest.isEmpty() ? "?" : "&").append(text);
            }
        });
        int query = url.lastIndexOf('?');
        return query < 0 ? url : url.substring(0, query) + rest;
    }

    /**
     * The transport that a URL asks for, empty when it does not say.
     *
     * @throws IllegalArgumentException with one sentence for the user, when the value is neither own nor client
     */
    public static Optional<Transport> wanted(String url) {
        var found = new AtomicReference<@Nullable Transport>();
        eachParameter(url, (text, transport) -> {
            if (transport != null) {
                found.set(transport);
            }
        });
        return Optional.ofNullable(found.get());
    }

    private static void eachParameter(String url, BiConsumer<String, @Nullable Transport> visitor) {
        int query = url.lastIndexOf('?');
        for (String parameter : query < 0 ? new String[0] : url.substring(query + 1).split("&", -1)) {
            String name = parameter.substring(0, Math.max(0, parameter.indexOf('=')));
            boolean former = name.equals(FORMER_PARAMETER);
            visitor.accept(parameter, former || name.equals(PARAMETER)
                ? transport(name, parameter.substring(name.length() + 1), former) : null);
        }
    }

    private static Transport transport(String name, String value, boolean former) {
        if (value.equals("own") || former && value.equals("lean")) {
            return Transport.OWN;
        }
        if (value.equals("client") || former && value.equals("jms")) {
            return Transport.CLIENT;
        }
        throw new IllegalArgumentException(name + "=" + value + " must be own or client.");
    }

    /**
     * Whether a broker knows the outcome modified, by which what is given back counts as tried. RabbitMQ before 4 ends the
     * session over it.
     *
     * @param broker what {@link Connection#broker()} says
     */
    public static boolean knowsModified(String broker) {
        return !broker.startsWith("RabbitMQ 3.");
    }

    /**
     * Whether a broker may offer to keep messages back and still deliver them at once: ActiveMQ Classic does when its
     * scheduler is off.
     *
     * @param broker what {@link Connection#broker()} says
     */
    public static boolean mayIgnoreDelays(String broker) {
        return broker.startsWith("ActiveMQ");
    }

    /**
     * What of settings, their URL {@link #strip stripped}, only qpid-jms has, in a few words ("a client id"); empty when a connection can
     * be direct.
     */
    public static String obstacle(ConnectionSettings settings) {
        return settings.clientId() != null ? "a client id" : LeanUrl.obstacle(settings.url());
    }

    /** Whether a connection with these settings, their URL {@link #strip stripped}, can be direct. */
    public static boolean eligible(ConnectionSettings settings) {
        return settings.clientId() == null && LeanUrl.read(settings.url()).isPresent();
    }

    /** Name and version of this package, and of the codec that it uses. */
    public static String client() {
        return "brokermeter's own AMQP 1.0 path (proton-j " + CODEC + " codec)";
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

    /** A sentence for the user: an option needs what only the client library has. */
    public static String forced(String obstacle, Connection over) {
        return "AMQP goes over " + over.client() + " because of " + obstacle + ", which brokermeter's own path has not.";
    }

    /**
     * Connects; the settings must be {@link #eligible}. A broker that asks for a SASL mechanism other than PLAIN and
     * ANONYMOUS is left to {@code jms}.
     *
     * @param jms connects over qpid-jms
     * @throws Exception as {@link io.brokermeter.spi.Driver#connect}
     */
    public static Connection connect(ConnectionSettings settings, ConnectionListener listener, JmsConnector jms)
            throws Exception {
        LeanUrl url = LeanUrl.read(settings.url()).orElseThrow(
            () -> new IllegalArgumentException("Only qpid-jms can use the URL " + settings.url() + "."));
        try {
            return LeanConnection.connect(settings, url, listener, jms);
        } catch (Sasl.MechanismException e) {
            Connection connection = jms.connect(settings, listener);
            listener.notice(forced("a SASL mechanism other than PLAIN and ANONYMOUS", connection));
            return connection;
        }
    }
}
