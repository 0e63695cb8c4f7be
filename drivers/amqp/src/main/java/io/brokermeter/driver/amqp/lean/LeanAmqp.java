package io.brokermeter.driver.amqp.lean;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;

/**
 * The way into this package: connects directly where that is possible, and over qpid-jms where it is not.
 *
 * <p>Direct are URLs of the form {@code amqp://host:port} with no other parameters than {@code amqp.idleTimeout},
 * {@code jms.prefetchPolicy.all} and {@code transport.tcpNoDelay=true}, and no client id. On such a connection,
 * transactions, durable and shared subscriptions, and {@code declare}, {@code delete} and {@code depth} still go over a
 * qpid-jms connection beside it. {@code brokermeter.transport=jms} in the URL's query chooses qpid-jms for everything;
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

    /** Whether a connection with these settings can be direct. */
    public static boolean eligible(ConnectionSettings settings) {
        String url = settings.url();
        return settings.clientId() == null && !url.contains(PARAMETER + "=jms") && LeanUrl.read(strip(url)).isPresent();
    }

    /**
     * Connects; the settings must be {@link #eligible}. A broker that asks for a SASL mechanism other than PLAIN and
     * ANONYMOUS is left to {@code jms}.
     *
     * @param jms connects over qpid-jms, with a URL that was {@link #strip stripped}
     * @throws Exception as {@link io.brokermeter.spi.Driver#connect}
     */
    public static Connection connect(ConnectionSettings settings, ConnectionListener listener, JmsConnector jms)
            throws Exception {
        ConnectionSettings plain = settings.withUrl(strip(settings.url()));
        LeanUrl url = LeanUrl.read(plain.url()).orElseThrow(
            () -> new IllegalArgumentException("Only qpid-jms can use the URL " + settings.url() + "."));
        try {
            return LeanConnection.connect(plain, url, listener, jms);
        } catch (Sasl.MechanismException e) {
            return jms.connect(plain, listener);
        }
    }
}
