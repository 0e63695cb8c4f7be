package io.brokermeter.spi.parameter;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.spi.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/**
 * A broker URL of the usual form, {@code scheme://host:port,host:port/path?name=value&name=value}, for drivers whose client
 * library has no URLs of its own. Immutable.
 *
 * @param scheme the scheme, in lower case
 * @param servers one or more servers, in their order
 * @param path the part between the servers and the {@code ?}, without its first slash, decoded; empty when there is none
 * @param query the parameters, decoded, in their order
 */
public record ServerUrl(String scheme, List<Server> servers, String path, Map<String, String> query) {

    private static final Pattern FORM =
        Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(?:/([^?#]*))?(?:\\?([^#]*))?");
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._~-]+)?]|[^:\\[\\]\\s@]+)(?::([0-9]{1,5}))?");
    /** An IPv6 address with a zone as RFC 6874 writes it. A zone of the number 25 has nothing behind {@code %25}. */
    private static final Pattern ENCODED_ZONE = Pattern.compile("(\\[[0-9A-Fa-f:.]+%)25([A-Za-z0-9._~-]+])");

    public ServerUrl {
        servers = List.copyOf(servers);
        query = Collections.unmodifiableMap(new LinkedHashMap<>(query));
    }

    /**
     * A server of a broker.
     *
     * @param host name or address, an IPv6 address without its brackets, with a zone as {@code fe80::1%eth0}
     * @param port 1 to 65535
     */
    public record Server(String host, int port) {

        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }

    /**
     * Parses a URL.
     *
     * @param schemes the schemes that are allowed, in lower case
     * @param defaultPort the port of a server without a port
     * @throws IllegalArgumentException with one sentence for the user that names what is wrong
     */
    public static ServerUrl parse(String url, Set<String> schemes, int defaultPort) {
        Matcher form = FORM.matcher(url.strip());
        if (!form.matches()) {
            throw wrong(url, "it must have the form " + schemes.stream().sorted().findFirst().orElse("scheme") + "://host:port");
        }
        String scheme = form.group(1).toLowerCase(Locale.ROOT);
        if (!schemes.contains(scheme)) {
            throw wrong(url, "its scheme must be " + String.join(" or ", schemes.stream().sorted().toList()) + ", not " + scheme);
        }
        List<Server> servers = new ArrayList<>();
        for (String text : form.group(2).split(",", -1)) {
            if (text.indexOf('@') >= 0) {
                throw wrong(url, "an @ is no part of a host");
            }
            Matcher server = SERVER.matcher(text);
            if (!server.matches()) {
                throw wrong(url, text.isEmpty() ? "a host is missing" : "'" + text + "' is not a host with a port");
            }
            int port = server.group(2) == null ? defaultPort : Integer.parseInt(server.group(2));
            if (port < 1 || port > 65_535) {
                throw wrong(url, "port " + port + " is not from 1 to 65535");
            }
            String host = server.group(1);
            servers.add(new Server(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port));
        }
        return new ServerUrl(scheme, servers, form.group(3) == null ? "" : decode(form.group(3).replace("+", "%2B")),
            query(url, form.group(4)));
    }

    private static Map<String, String> query(String url, @Nullable String text) {
        Map<String, String> query = new LinkedHashMap<>();
        if (text == null || text.isEmpty()) {
            return query;
        }
        for (String part : text.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = decode(equals < 0 ? part : part.substring(0, equals));
            if (name.isEmpty()) {
                throw wrong(url, "a parameter without a name is in it");
            }
            if (query.put(name, equals < 0 ? "" : decode(part.substring(equals + 1))) != null) {
                throw wrong(url, "the parameter " + name + " is in it twice");
            }
        }
        return query;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** Creates the exception for a URL, in whose sentence everything before an {@code @}, which may be a password, is masked. */
    private static IllegalArgumentException wrong(String url, String what) {
        String shown = ConnectionSettings.redacted(url.replaceAll("://[^/?,]*@", "://***@"));
        return new IllegalArgumentException("URL '" + shown + "' cannot be used: " + what + ".");
    }

    /** Returns a URL of any form with the zones of its IPv6 addresses as addresses have them, {@code [fe80::1%25eth0]} as {@code [fe80::1%eth0]}. */
    public static String withPlainZones(String url) {
        return url.indexOf('%') < 0 ? url : ENCODED_ZONE.matcher(url).replaceAll("$1$2");
    }

    /** Returns the first server. */
    public Server server() {
        return servers.getFirst();
    }

    /** Returns scheme and servers alone, for sentences and reports. */
    public String address() {
        return scheme + "://" + String.join(",", servers.stream().map(Server::toString).toList());
    }
}
