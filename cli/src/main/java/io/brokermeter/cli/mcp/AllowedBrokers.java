package io.brokermeter.cli.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.brokers.observe.Servers;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;

/**
 * The running brokers that calls may load: those that the command line names, and those on loopback addresses. Immutable.
 *
 * @param named the ways to those that the command line names, by their URLs as calls write them
 */
record AllowedBrokers(Map<String, Way> named) {

    /** A URL of one server, without a login. Any other form must be named on the command line, since it could lead elsewhere, too. */
    private static final Pattern PLAIN = Pattern.compile("([a-z][a-z0-9+.-]*)://(\\[[0-9a-f:]+]|[a-z0-9._-]+)(:[0-9]{1,5})?([/?][^,()]*)?");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");
    /** The scheme of a broker within the process that measures. */
    private static final String IN_MEMORY = "loopback";

    /**
     * How a broker is reached.
     *
     * @param url URL without a login
     * @param user null for none
     * @param password null for none
     */
    record Way(String url, @Nullable String user, @Nullable Secret password) {}

    /**
     * Creates the brokers of some URLs, which may contain logins.
     *
     * @param password the password of users whose URL has none; null for none
     * @throws UsageException for a URL that names no server
     */
    static AllowedBrokers of(List<String> urls, @Nullable Secret password) {
        Map<String, Way> named = new LinkedHashMap<>();
        for (String url : urls) {
            UrlLogin login;
            try {
                login = UrlLogin.of(url);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--allow-broker: " + e.getMessage());
            }
            String plain = login == null ? url : login.url();
            if (Servers.of(plain).isEmpty()) {
                throw new UsageException("--allow-broker " + plain + " is no URL of a broker, like amqp://broker.example:5672.");
            }
            String user = login == null ? null : login.user();
            Secret own = login == null || login.password() == null ? password : login.password();
            named.put(normal(plain), new Way(plain, user, user == null && (login == null || login.password() == null) ? null : own));
        }
        return new AllowedBrokers(named);
    }

    private static String normal(String url) {
        return url.strip().replaceFirst("/+$", "");
    }

    /**
     * Returns the way to a broker that a call names.
     *
     * @throws UsageException with one sentence when calls may not load it
     */
    Way way(String url) {
        Way way = named.get(normal(url));
        if (way != null) {
            return way;
        }
        if (url.split("[?]", 2)[0].contains("@")) {
            throw new UsageException("A call carries no login: whoever starts 'brokermeter mcp' gives it with --allow-broker.");
        }
        Matcher plain = PLAIN.matcher(url.toLowerCase(Locale.ROOT));
        if (plain.matches() && url.indexOf("://") == url.lastIndexOf("://")
            && (LOOPBACK.matcher(plain.group(2)).matches() || plain.group(1).equals(IN_MEMORY))) {
            return new Way(url, null, null);
        }
        throw new UsageException(
            "Calls may not load " + url + ": whoever starts 'brokermeter mcp' can allow it with --allow-broker. Allowed are "
                + (named.isEmpty() ? "" : String.join(", ", named.keySet()) + ", ")
                + "brokers on loopback addresses, and those that are started for a call, by their names.");
    }
}
