package io.brokermeter.brokers.observe;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Prometheus endpoint.
 *
 * @param uri URI without a login
 * @param authorization value of the header that carries the login; null for none
 */
record MetricsAddress(URI uri, @Nullable Secret authorization) {

    /**
     * Parses a URL.
     *
     * @throws UsageException when the text is not the URL of an endpoint
     */
    static MetricsAddress parse(String text) {
        URI uri;
        try {
            uri = new URI(text.strip());
        } catch (URISyntaxException e) {
            throw wrong(text);
        }
        String scheme = uri.getScheme();
        boolean http = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!http || uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > 65_535) {
            throw wrong(text);
        }
        try {
            String login = uri.getUserInfo();
            String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/metrics" : uri.getRawPath();
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
            return new MetricsAddress(new URI(scheme + "://" + uri.getHost() + port + path + query), login == null ? null
                : Secret.of("Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8))));
        } catch (URISyntaxException e) {
            throw wrong(text);
        }
    }

    private static UsageException wrong(String text) {
        return new UsageException("%s '%s' must be the URL of a Prometheus endpoint, as http://host:port/metrics.", Setting.BROKER_METRICS,
            text.replaceAll("//[^/]*@", "//***@").replaceAll("\\?.*", ""));
    }

    /** Returns the URL without login and query parameters, which may be secret. */
    @Override
    public String toString() {
        return uri.toString().replaceAll("\\?.*", "");
    }
}
