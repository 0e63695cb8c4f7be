package io.brokermeter.brokers.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Finds the servers that a broker URL names, in any form that its client supports, including composite URLs. */
public final class Servers {

    /** The default ports of the schemes. */
    private static final Map<String, Integer> PORTS = Map.ofEntries(Map.entry("tcp", 61616), Map.entry("amqp", 5672),
        Map.entry("amqps", 5671), Map.entry("mqtt", 1883), Map.entry("mqtts", 8883), Map.entry("stomp", 61613),
        Map.entry("kafka", 9092), Map.entry("rocketmq", 9876), Map.entry("nats", 4222), Map.entry("redis", 6379),
        Map.entry("rediss", 6379), Map.entry("beanstalkd", 11300));
    /** The port of a server when neither its URL nor its scheme determines one. */
    private static final int UNKNOWN = -1;
    /** The scheme whose servers may be separated by semicolons; in other authorities a semicolon may belong to a login. */
    private static final String SEMICOLONS = "rocketmq";
    /** A comma is followed by the next server, unless a URL begins after it. */
    private static final Pattern AUTHORITIES = Pattern.compile(
        "([A-Za-z][A-Za-z0-9+.-]*)://([^/?#()\\s,]*(?:,(?![A-Za-z][A-Za-z0-9+.-]*://)[^/?#()\\s,]*)*)");
    private static final Pattern SERVER =
        Pattern.compile("(?:[^@]*@)?(?:\\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._~-]+)?)]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?");

    private Servers() {}

    /**
     * A host and a port.
     *
     * @param host name or address; an IPv6 address without brackets
     */
    public record Server(String host, int port) {}

    /**
     * Returns the URL with other servers, in the same form.
     *
     * @param change function that returns the replacement of a server
     * @throws IllegalArgumentException with one sentence, when the URL names no server in a supported form, or a server without a port
     *     whose scheme has no default port
     */
    public static String replaced(String url, UnaryOperator<Server> change) {
        StringBuilder whole = new StringBuilder();
        Matcher authorities = AUTHORITIES.matcher(url);
        boolean any = false;
        while (authorities.find()) {
            List<String> parts = new ArrayList<>();
            for (String part : parts(authorities)) {
                Server server = server(authorities.group(1), part);
                if (server == null) {
                    parts.add(part);
                    continue;
                }
                if (server.port == UNKNOWN) {
                    throw new IllegalArgumentException("The URL must name the port of " + server.host + " when a network lies between.");
                }
                Server other = change.apply(server);
                any = true;
                parts.add(part.substring(0, part.lastIndexOf('@') + 1)
                    + (other.host.indexOf(':') < 0 ? other.host : "[" + other.host + "]") + ":" + other.port);
            }
            authorities.appendReplacement(whole, Matcher.quoteReplacement(authorities.group(1) + "://" + String.join(",", parts)));
        }
        if (!any) {
            throw new IllegalArgumentException("The URL names no host and port, so no network can lie before its broker.");
        }
        return authorities.appendTail(whole).toString();
    }

    /** Returns the servers of the URL, in its order; an empty list when it names none in a supported form. */
    public static List<Server> of(String url) {
        List<Server> servers = new ArrayList<>();
        Matcher authorities = AUTHORITIES.matcher(url);
        while (authorities.find()) {
            for (String part : parts(authorities)) {
                Server server = server(authorities.group(1), part);
                if (server != null && server.port > 0 && server.port < 65_536 && !servers.contains(server)) {
                    servers.add(server);
                }
            }
        }
        return servers;
    }

    private static String[] parts(Matcher authorities) {
        String all = authorities.group(2);
        return (authorities.group(1).equalsIgnoreCase(SEMICOLONS) ? all.replace(';', ',') : all).split(",", -1);
    }

    /**
     * Returns the server that a part of an authority names, with the default port of the scheme if it has none; null when it names no
     * server.
     */
    private static @Nullable Server server(String scheme, String part) {
        Matcher server = SERVER.matcher(part);
        if (!server.matches()) {
            return null;
        }
        return new Server(server.group(1) != null ? server.group(1) : server.group(2), server.group(3) != null
            ? Integer.parseInt(server.group(3)) : PORTS.getOrDefault(scheme.toLowerCase(Locale.ROOT), UNKNOWN));
    }
}
