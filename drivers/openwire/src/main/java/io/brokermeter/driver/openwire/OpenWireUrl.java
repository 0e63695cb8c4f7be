package io.brokermeter.driver.openwire;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;

/**
 * A URL for the OpenWire client: rewritten from the user's URL, and checked.
 *
 * <p>{@code openwire://} and {@code core://} become {@code tcp://}, {@code openwires://} becomes {@code ssl://}, and {@code (a,b)} becomes
 * {@code failover:(a,b)}. The driver's own parameters are removed; everything else is passed to the client unchanged.
 */
final class OpenWireUrl {

    private static final Set<String> SCHEMES = Set.of("tcp", "nio", "ssl", "nio+ssl");
    private static final String FAILOVER = "failover:";

    private final BrokerUrl url;
    private final Optional<TlsOptions> tls;

    private OpenWireUrl(BrokerUrl url, Optional<TlsOptions> tls) {
        this.url = url;
        this.tls = tls;
    }

    /** @throws IllegalArgumentException with one sentence for the user that names the offending part */
    static OpenWireUrl of(Driver driver, ConnectionSettings settings) {
        var given = BrokerUrl.of(settings);
        var url = rewritten(given);
        boolean failover = url.reveal().startsWith(FAILOVER);
        if (failover && !url.isList()) {
            throw new IllegalArgumentException("URL '" + given.redacted()
                + "' must name its brokers in parentheses, as in failover:(tcp://a:61616,tcp://b:61616).");
        }
        url.checkBrokers();
        for (var broker : url.brokers()) {
            var scheme = broker.strip().replaceAll("://.*", "").toLowerCase(Locale.ROOT);
            if (!SCHEMES.contains(scheme)) {
                throw new IllegalArgumentException("URL '" + given.redacted() + "' has the scheme '" + scheme
                    + "', which OPENWIRE does not know; use openwire://, tcp://, nio://, ssl:// or nio+ssl://.");
            }
            if (URI.create(broker.strip()).getPort() < 0) {
                throw new IllegalArgumentException("URL '" + given.redacted()
                    + "' must name a host and a port from 1 to 65535, as in openwire://localhost:61616.");
            }
            if (failover) {
                checked(driver, BrokerUrl.of(broker), ClientParameters.TRANSPORT);
            }
        }
        var parameters = checked(driver, outer(url), failover ? ClientParameters.FAILOVER : ClientParameters.SINGLE);
        var tls = TlsOptions.of(parameters, url.hasScheme("ssl") || url.hasScheme("nio+ssl"),
            "begin the URL with openwires:// or ssl://");
        for (var parameter : TlsOptions.PARAMETERS) {
            url = url.without(parameter.name());
        }
        if (tls.isPresent() && (tls.get().trustAll() || !tls.get().verifyHost())) {
            url = url.with(failover ? "nested.socket.verifyHostName" : "socket.verifyHostName", "false");
        }
        return new OpenWireUrl(url, tls);
    }

    private static Parameters checked(Driver driver, BrokerUrl part, ClientParameters known) {
        Map<String, String> query = new LinkedHashMap<>();
        for (var parameter : part.parameters()) {
            if (query.put(parameter.name(), parameter.value()) != null) {
                throw new IllegalArgumentException("The parameter " + parameter.name() + " is in the URL twice; give it once.");
            }
        }
        var parameters = Parameters.of(driver, query, Map.of(), known.names());
        query.forEach(known::check);
        if (known == ClientParameters.TRANSPORT) {
            driver.parameters().stream().map(Parameter::name).filter(query::containsKey).findFirst().ifPresent(name -> {
                throw new IllegalArgumentException(
                    "Parameter " + name + " counts for all brokers; write it behind the parentheses of the URL.");
            });
        }
        return parameters;
    }

    private static BrokerUrl rewritten(BrokerUrl given) {
        var url = given;
        if (url.reveal().startsWith("(")) {
            url = url.withText(text -> FAILOVER + text);
        } else if (url.reveal().startsWith(FAILOVER + "//(")) {
            url = url.withText(text -> FAILOVER + text.substring(FAILOVER.length() + 2));
        } else if (url.reveal().startsWith(FAILOVER) && !url.isList()) {
            url = url.withText(text -> {
                int query = text.indexOf('?');
                var brokers = text.substring(FAILOVER.length(), query < 0 ? text.length() : query);
                return FAILOVER + "(" + brokers + ")" + (query < 0 ? "" : text.substring(query));
            });
        }
        return url.withSchemes(scheme -> switch (scheme.toLowerCase(Locale.ROOT)) {
            case "openwire", "core" -> "tcp";
            case "openwires" -> "ssl";
            default -> scheme;
        });
    }

    /** Returns whether the URL has a parameter that counts for the connection, whichever broker it is to. */
    boolean sets(String name) {
        return outer(url).parameters().stream().anyMatch(each -> each.name().equals(name));
    }

    /** Returns the part of a URL whose parameters count for the connection. */
    private static BrokerUrl outer(BrokerUrl url) {
        var text = url.reveal();
        return text.startsWith(FAILOVER) ? BrokerUrl.of(text.substring(text.lastIndexOf(')') + 1)) : url;
    }

    /** Returns the URL for the client. */
    BrokerUrl url() {
        return url;
    }

    /** Returns the TLS settings; empty without TLS. */
    Optional<TlsOptions> tls() {
        return tls;
    }

    /** Returns whether a broker of this URL is reached over TLS. */
    boolean isTls() {
        return url.hasScheme("ssl") || url.hasScheme("nio+ssl");
    }
}
