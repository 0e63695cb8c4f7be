package io.brokermeter.driver.amqp.direct;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.driver.tls.TlsOptions;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a broker URL that this package understands.
 *
 * @param idleTimeout the longest permitted silence of the broker, zero for no limit
 * @param prefetch credit of a consumer that sets none, or -1 for the default
 * @param sessionWindow incoming window of consumers' sessions in frames; 0 for no limit
 * @param tls options of TLS, or null for plain TCP
 */
record DirectUrl(String host, int port, Duration idleTimeout, int prefetch, int sessionWindow, @Nullable TlsOptions tls) {

    private static final int PLAIN_PORT = 5672;
    private static final int TLS_PORT = 5671;
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** Returns the part of a URL that only qpid-jms supports, in a few words; empty if {@link #read} can read the URL. */
    static String obstacle(String text) {
        if (read(text).isPresent()) {
            return "";
        }
        if (text.startsWith("failover:")) {
            return "a failover URL";
        }
        if (text.startsWith("amqpws")) {
            return "WebSockets";
        }
        String plain = text.startsWith("amqps:") ? "amqps://localhost?" : "amqp://localhost?";
        int query = text.indexOf('?');
        for (String parameter : query < 0 ? new String[0] : text.substring(query + 1).split("&", -1)) {
            if (read(plain + parameter).isEmpty()) {
                return "the parameter " + parameter.replaceFirst("=.*", "");
            }
        }
        return "this form of URL";
    }

    /**
     * Reads a URL; returns empty if it uses anything that only qpid-jms supports.
     *
     * @throws IllegalArgumentException with one sentence for the user, if a key or trust store cannot be read
     */
    static Optional<DirectUrl> read(String text) {
        try {
            URI uri = new URI(text);
            boolean secure = "amqps".equals(uri.getScheme());
            if (!secure && !"amqp".equals(uri.getScheme()) || uri.getHost() == null || uri.getUserInfo() != null
                || (uri.getPath() != null && !uri.getPath().isEmpty() && !uri.getPath().equals("/"))
                || uri.getFragment() != null) {
                return Optional.empty();
            }
            Duration idle = IDLE;
            int prefetch = -1;
            Map<String, String> tls = new HashMap<>();
            for (String parameter : uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&", -1)) {
                int equals = parameter.indexOf('=');
                if (equals < 0) {
                    return Optional.empty();
                }
                String name = parameter.substring(0, equals);
                String value = URLDecoder.decode(parameter.substring(equals + 1), StandardCharsets.UTF_8);
                switch (name) {
                    // qpid-jms, too, takes a negative timeout for no limit
                    case "amqp.idleTimeout" -> idle = Duration.ofMillis(Math.max(0, Long.parseLong(value)));
                    case DirectPath.PREFETCH -> prefetch = Integer.parseInt(value);
                    case "transport.tcpNoDelay", "jms.forceAsyncAcks" -> {
                        if (!"true".equals(value)) {
                            return Optional.empty();
                        }
                    }
                    case "transport.trustStoreLocation", "transport.trustStorePassword", "transport.keyStoreLocation",
                        "transport.keyStorePassword", "transport.trustAll", "transport.verifyHost" -> tls.put(name, value);
                    default -> {
                        return Optional.empty();
                    }
                }
            }
            String host = uri.getHost();
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int port = uri.getPort() >= 0 ? uri.getPort() : secure ? TLS_PORT : PLAIN_PORT;
            return Optional.of(new DirectUrl(host, port, idle, prefetch, 0, secure ? options(tls) : null));
        } catch (URISyntaxException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    DirectUrl withSessionWindow(int frames) {
        return new DirectUrl(host, port, idleTimeout, prefetch, frames, tls);
    }

    private static TlsOptions options(Map<String, String> tls) {
        return new TlsOptions(store(tls, "transport.trustStore"), store(tls, "transport.keyStore"),
            "true".equals(tls.get("transport.trustAll")), !"false".equals(tls.get("transport.verifyHost")));
    }

    private static Optional<TlsOptions.Store> store(Map<String, String> tls, String name) {
        return TlsOptions.store(name + "Location", Optional.ofNullable(tls.get(name + "Location")),
            Optional.ofNullable(tls.get(name + "Password")));
    }
}
