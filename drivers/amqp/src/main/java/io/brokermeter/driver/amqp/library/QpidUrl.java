package io.brokermeter.driver.amqp.library;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.parameter.StoreParameter;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.provider.ProviderFactory;

/**
 * A URL for Qpid JMS: rewritten from the user's URL, checked, and completed with this driver's defaults.
 *
 * <p>{@code tcp://} and {@code core://} become {@code amqp://}, or {@code amqps://} with {@code sslEnabled=true}; {@code (a,b)?ha=true}
 * becomes {@code failover:(a,b)}. Everything else is passed to the client unchanged.
 *
 * <p>Default if the URL does not set it: {@code jms.forceAsyncAcks=true}, so that a consumer does not wait until each of its
 * acknowledgements is written before it takes the next message; the CORE client has the same default.
 */
public final class QpidUrl {

    /** The client's names of the TLS parameters. */
    public static final TlsNames TLS_NAMES =
        new TlsNames("transport.trustStoreLocation", "transport.keyStoreLocation", "transport.verifyHost=false");

    /** The store parameters of the client, for a single broker and, with the prefix of nested parameters, for each of several brokers. */
    public static final List<StoreParameter> STORES = Stream.of("", "failover.nested.").flatMap(prefix -> Stream.of(
        store(prefix, TLS_NAMES.trustStore(), "transport.trustStorePassword", "transport.trustStoreType", "transport.storeType"),
        store(prefix, TLS_NAMES.keyStore(), "transport.keyStorePassword", "transport.keyStoreType"))).toList();

    /** The parameters without effect if TLS is not used: both stores, their further parameters, and how a certificate is judged. */
    private static final Set<String> NEED_TLS = Stream.concat(
        STORES.stream().flatMap(StoreParameter::names),
        Stream.of("", "failover.nested.").flatMap(prefix -> Stream.of(prefix + "transport.trustAll", prefix + "transport.verifyHost")))
        .collect(Collectors.toSet());

    private static final Set<String> PREFIXES = Set.of("jms.", "amqp.", "transport.", "failover.", "provider.");

    private static final String MECHANISMS = "amqp.saslMechanisms";
    /** The SASL mechanisms that the client uses without a password. */
    private static final Set<String> WITHOUT_PASSWORD = Set.of("ANONYMOUS", "EXTERNAL", "GSSAPI");

    private final BrokerUrl url;

    private QpidUrl(BrokerUrl url) {
        this.url = url;
    }

    private static StoreParameter store(String prefix, String name, String... beside) {
        return new StoreParameter(prefix + name, Stream.of(beside).map(prefix::concat).collect(Collectors.toSet()));
    }

    /** @throws IllegalArgumentException with one sentence for the user that names the offending part */
    public static QpidUrl of(String text) {
        var given = BrokerUrl.of(text);
        var url = rewrite(given);
        (url.isList() ? url : BrokerUrl.of(url.reveal().replaceFirst("^failover:", ""))).checkBrokers();
        for (var broker : url.brokers()) {
            var scheme = broker.replaceFirst("^failover:", "").strip().replaceAll("://.*", "");
            if (!Set.of("amqp", "amqps", "amqpws", "amqpwss").contains(scheme)) {
                throw new IllegalArgumentException("URL '" + given.redacted() + "' has the scheme '" + scheme
                    + "', which AMQP does not know; use amqp://, amqps:// or tcp://.");
            }
        }
        for (var parameter : url.parameters()) {
            if (PREFIXES.stream().noneMatch(parameter.name()::startsWith)) {
                throw new IllegalArgumentException("The AMQP client does not know the parameter '" + parameter.name()
                    + "'; its parameters start with jms., amqp., transport. or failover.");
            }
        }
        return new QpidUrl(url.withDefault("jms.forceAsyncAcks", "true"));
    }

    private static BrokerUrl rewrite(BrokerUrl given) {
        var url = given;
        if (url.reveal().startsWith("(")) {
            url = url.withText(text -> "failover:" + text).without("ha");
        } else if (!url.reveal().startsWith("failover:") && url.brokers().size() > 1) {
            url = BrokerUrl.of("failover:(" + String.join(",", url.brokers()) + ")").without("ha");
        }
        boolean tls = url.parameters().contains(new BrokerUrl.Parameter("sslEnabled", "true"));
        if (tls || url.parameters().contains(new BrokerUrl.Parameter("sslEnabled", "false"))) {
            url = url.without("sslEnabled");
        }
        return url.withSchemes(scheme -> switch (scheme) {
            case "tcp", "core", "amqp" -> tls ? "amqps" : "amqp";
            default -> scheme;
        });
    }

    /**
     * Lets the client read the URL, which needs no network.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the parameter that the client refuses, or that would be
     *     ignored because nothing is encrypted
     */
    public void check() {
        if (!isTls()) {
            TlsOptions.refuseWithoutTls(url.parameters().stream().map(BrokerUrl.Parameter::name), NEED_TLS,
                "begin the URL of the broker with amqps://");
        }
        try {
            var factory = new JmsConnectionFactory(url.reveal());
            if (url.reveal().startsWith("failover:")) {
                for (var broker : url.brokers()) {
                    ProviderFactory.create(URI.create(broker.replaceFirst("^failover:", ""))).close();
                }
            }
            ProviderFactory.create(URI.create(factory.getRemoteURI())).close();
        } catch (Exception e) {
            throw new IllegalArgumentException(
                "URL '" + url.redacted() + "' is refused by the AMQP client" + reason(e), e);
        }
    }

    private static String reason(Exception e) {
        var message = String.valueOf(e.getMessage());
        int unused = message.indexOf("Unused parameters=[");
        if (unused >= 0) {
            int end = message.indexOf(']', unused);
            return ", which does not know the parameter "
                + message.substring(unused + "Unused parameters=[".length(), end).replaceAll("[{}]", "") + ".";
        }
        return ": " + message.strip();
    }

    public BrokerUrl url() {
        return url;
    }

    /** Returns whether the URL names a SASL mechanism that needs no password. */
    public boolean needsNoPassword() {
        return url.parameters().stream().filter(parameter -> parameter.name().endsWith(MECHANISMS))
            .flatMap(parameter -> Stream.of(parameter.value().split(","))).anyMatch(WITHOUT_PASSWORD::contains);
    }

    /** Returns whether a broker of this URL is reached over TLS. */
    public boolean isTls() {
        return url.hasScheme("amqps") || url.hasScheme("amqpwss");
    }
}
