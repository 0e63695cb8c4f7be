package io.brokermeter.brokers.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The servers that a broker URL names, in whatever form its client takes, composite ones included. */
final class Servers {

    /** Where the schemes' brokers listen when the URL does not say. */
    private static final Map<String, Integer> PORTS = Map.ofEntries(Map.entry("tcp", 61616), Map.entry("amqp", 5672),
        Map.entry("amqps", 5671), Map.entry("mqtt", 1883), Map.entry("mqtts", 8883), Map.entry("stomp", 61613),
        Map.entry("kafka", 9092), Map.entry("rocketmq", 9876), Map.entry("nats", 4222), Map.entry("redis", 6379),
        Map.entry("rediss", 6379), Map.entry("beanstalkd", 11300));
    /** A comma goes on with the next server, unless a URL begins behind it. */
    private static final Pattern AUTHORITIES = Pattern.compile(
        "([A-Za-z][A-Za-z0-9+.-]*)://([^/?#()\\s,]*(?:,(?![A-Za-z][A-Za-z0-9+.-]*://)[^/?#()\\s,]*)*)");
    private static final Pattern SERVER =
        Pattern.compile("(?:[^@]*@)?(?:\\[([0-9A-Fa-f:.%]+)]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?");

    private Servers() {}

    /**
     * A host and a port.
     *
     * @param host an IPv6 address without brackets
     */
    record Server(String host, int port) {}

    /** Those of the URL, in its order; none when it names none in a form that is understood. */
    static List<Server> of(String url) {
        List<Server> servers = new ArrayList<>();
        Matcher authorities = AUTHORITIES.matcher(url);
        while (authorities.find()) {
            Integer usual = PORTS.get(authorities.group(1).toLowerCase(Locale.ROOT));
            for (String part : authorities.group(2).split(",")) {
                Matcher server = SERVER.matcher(part);
                if (!server.matches()) {
                    continue;
                }
                String host = server.group(1) != null ? server.group(1) : server.group(2);
                Integer port = server.group(3) == null ? usual : Integer.valueOf(server.group(3));
                if (port != null && port > 0 && port < 65_536 && !servers.contains(new Server(host, port))) {
                    servers.add(new Server(host, port));
                }
            }
        }
        return servers;
    }
}
