package io.brokermeter.driver.amqp.lean;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;

/**
 * What this package understands of a broker URL.
 *
 * @param idleTimeout the longest silence of the broker, zero for any
 * @param prefetch credit of a consumer that does not say, or -1
 */
record LeanUrl(String host, int port, Duration idleTimeout, int prefetch) {

    private static final int DEFAULT_PORT = 5672;
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** What of a URL only the full client has, in a few words; empty when {@link #read} reads it. */
    static String obstacle(String text) {
        if (read(text).isPresent()) {
            return "";
        }
        if (text.startsWith("failover:")) {
            return "a failover URL";
        }
        if (text.startsWith("amqps:") || text.startsWith("amqpwss:")) {
            return "TLS";
        }
        if (text.startsWith("amqpws:")) {
            return "WebSockets";
        }
        int query = text.indexOf('?');
        for (String parameter : query < 0 ? new String[0] : text.substring(query + 1).split("&", -1)) {
            if (read("amqp://localhost?" + parameter).isEmpty()) {
                return "the parameter " + parameter.replaceFirst("=.*", "");
            }
        }
        return "this form of URL";
    }

    /** Reads a URL; empty when it asks for anything that only the full client has. */
    static Optional<LeanUrl> read(String text) {
        try {
            URI uri = new URI(text);
            if (!"amqp".equals(uri.getScheme()) || uri.getHost() == null || uri.getUserInfo() != null
                || (uri.getPath() != null && !uri.getPath().isEmpty() && !uri.getPath().equals("/"))
                || uri.getFragment() != null) {
                return Optional.empty();
            }
            Duration idle = IDLE;
            int prefetch = -1;
            for (String parameter : uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&", -1)) {
                int equals = parameter.indexOf('=');
                if (equals < 0) {
                    return Optional.empty();
                }
                String value = parameter.substring(equals + 1);
                switch (parameter.substring(0, equals)) {
                    case "amqp.idleTimeout" -> idle = Duration.ofMillis(Long.parseLong(value));
                    case "jms.prefetchPolicy.all" -> prefetch = Integer.parseInt(value);
                    case "transport.tcpNoDelay", "jms.forceAsyncAcks" -> {
                        if (!"true".equals(value)) {
                            return Optional.empty();
                        }
                    }
                    default -> {
                        return Optional.empty();
                    }
                }
            }
            String host = uri.getHost();
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            return Optional.of(new LeanUrl(host, uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(), idle, prefetch));
        } catch (URISyntaxException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
