package io.brokermeter.spi.parameter;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The user name and password of a URL, as in {@code amqp://guest:guest@localhost}, percent-decoded. A list of servers may
 * repeat them, but they are the same for all servers. Immutable.
 *
 * @param url the URL without user name and password
 * @param user null when there is none, as in {@code redis://:password@localhost}
 * @param password null when there is none, as in {@code amqp://guest@localhost}
 */
public record UrlLogin(String url, @Nullable String user, @Nullable Secret password) {

    private static final Pattern AUTHORITY = Pattern.compile("(?<=://)[^/?#()]+");
    private static final String NO_PORT = ":(?!//|[0-9]{1,5}(?:[/?#,;)]|$))";
    /** A password that one of its characters ends too early: no port follows the colon, but an {@code @} follows later in the URL. */
    private static final Pattern TORN = Pattern.compile("://[^/?#()@,\\[\\]]*" + NO_PORT + "[^@]*@");
    /** The rest of such a password in a list of servers, after the login was taken out of the URL. */
    private static final Pattern TORN_IN_LIST = Pattern.compile("://(?:[^/?#()@\\[\\]]*,)?[^/?#()@,\\[\\]]*" + NO_PORT);

    /**
     * Takes the login out of a URL in any form that a driver understands.
     *
     * @return the login, or null when the URL has none
     * @throws IllegalArgumentException with one sentence for the user, which shows no password, when the URL has two different logins,
     *     or when a character of the password ends it
     */
    public static @Nullable UrlLogin of(String url) {
        UrlLogin login = taken(url);
        if (login == null ? TORN.matcher(url).find() : TORN_IN_LIST.matcher(login.url).find()) {
            throw new IllegalArgumentException("The password in the URL has a character that ends it there; write / ? # @ ( ) and , in it"
                + " as %2F %3F %23 %40 %28 %29 and %2C, or give it beside the URL.");
        }
        return login;
    }

    private static @Nullable UrlLogin taken(String url) {
        int query = url.indexOf('(') >= 0 ? -1 : url.indexOf('?');
        String head = query < 0 ? url : url.substring(0, query);
        if (head.indexOf('@') < 0) {
            return null;
        }
        StringBuilder plain = new StringBuilder();
        String found = null;
        Matcher authority = AUTHORITY.matcher(head);
        int end = 0;
        while (authority.find()) {
            plain.append(head, end, authority.start());
            String[] servers = authority.group().split(",", -1);
            for (int i = 0; i < servers.length; i++) {
                int at = servers[i].lastIndexOf('@');
                if (at >= 0) {
                    String login = servers[i].substring(0, at);
                    if (found != null && !found.equals(login)) {
                        throw new IllegalArgumentException("The URL names two users or two passwords; all of its servers take the same.");
                    }
                    found = login;
                }
                plain.append(i == 0 ? "" : ",").append(servers[i].substring(at + 1));
            }
            end = authority.end();
        }
        if (found == null) {
            return null;
        }
        plain.append(head, end, head.length()).append(query < 0 ? "" : url.substring(query));
        int colon = found.indexOf(':');
        String user = decoded(colon < 0 ? found : found.substring(0, colon));
        return new UrlLogin(plain.toString(), user.isEmpty() ? null : user,
            colon < 0 ? null : Secret.of(decoded(found.substring(colon + 1))));
    }

    public static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /** Returns the URL without its login. */
    public static String strip(String url) {
        UrlLogin login = of(url);
        return login == null ? url : Objects.requireNonNull(login.url());
    }
}
