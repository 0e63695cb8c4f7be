package io.brokermeter.driver.amqp.lean;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;

/**
 * The way into this package: connects directly where that is possible, and over qpid-jms where it is not.
 *
 * <p>Direct are URLs of the form {@code amqp://host:port} with no other parameters than {@code amqp.idleTimeout},
 * {@code jms.prefetchPolicy.all}, {@code transport.tcpNoDelay=true} and {@code jms.forceAsyncAcks=true}, and no client id. On such a connection,
 * transactions and durable and shared subscriptions still go over a qpid-jms connection beside it. {@code brokermeter.transport=jms} in the URL's query chooses qpid-jms for everything;
 * it is taken out before the URL is used.
 */
public final class LeanAmqp {

    /** The parameter of the URL that chooses: {@code jms} for qpid-jms, {@code lean} (the default) for this package. */
    public static final String PARAMETER = "brokermeter.transport";

    private LeanAmqp() {}

    /**
     * Takes {@link #PARAMETER} out of a URL.
     *
     * @throws IllegalArgumentException with one sentence for the user, when its value is neither jms nor lean
     */
    public static String strip(String url) {
        int query = url.lastIndexOf('?');
        if (query < 0 || !url.contains(PARAMETER)) {
            return url;
        }
        StringBuilder rest = new StringBuilder();
        for (String parameter : url.substring(query + 1).split("&", -1)) {
            if (!parameter.startsWith(PARAMETER + "=")) {
                rest.append(rest.isEmpty() ? "?" : "&").append(parameter);
            } else {
                String value = parameter.substring(PARAMETER.length() + 1);
                if (!value.equals("jms") && !value.equals("lean")) {
                    throw new IllegalArgumentException(
                        PARAMETER + "=" + value + " in the URL must be jms or lean.");
                }
            }
        }
        return url.substring(0, query) + rest;
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

    /** Whether a URL asks for qpid-jms. */
    public static boolean asksForJms(String url) {
        return !strip(url).equals(url) && url.contains(PARAMETER + "=jms");
    }

    /** Whether a connection with these settings, their URL {@link #strip stripped}, can be direct. */
    public static boolean eligible(ConnectionSettings settings) {
        return settings.clientId() == null && LeanUrl.read(settings.url()).isPresent();
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
            return jms.connect(settings, listener);
        }
    }
}
