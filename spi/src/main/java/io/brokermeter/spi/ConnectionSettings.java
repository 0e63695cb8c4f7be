package io.brokermeter.spi;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How to reach a broker. A user name and password in the URL become those of the settings, and the URL loses them.
 *
 * @param url the broker URL as the user gave it, in any of the forms the protocol's own client understands
 * @param user user name, or null for none
 * @param password password, or null for none
 * @param clientId client id that the connection must carry, or null for none
 * @param connectTimeout the longest that {@link Driver#connect} may take
 * @param properties further parameters of driver and client by name; they say the same as parameters of
 *     the URL, and one that is in both is an error
 */
public record ConnectionSettings(
        String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties) {

    private static final Pattern LOGIN = Pattern.compile("(://[^/?#@:,]*):[^/?#,]*@");
    /** A value ends where the next parameter or the next server of a list begins. */
    private static final Pattern PARAMETER =
        Pattern.compile("(?<=[?&;,(])([^=&?;,(]+)=((?:(?!,[A-Za-z][A-Za-z0-9+.-]*:)[^&;)])*)");
    private static final Pattern SECRET = Pattern.compile("(?i)password|passcode|secret|token");

    /** @throws IllegalArgumentException with one sentence for the user, when user or password are given twice */
    public ConnectionSettings {
        UrlLogin login = UrlLogin.of(url);
        if (login != null) {
            if (login.user() != null && user != null) {
                throw new IllegalArgumentException("The user name is given twice, in the URL and beside it; give it once.");
            }
            if (login.password() != null && password != null) {
                throw new IllegalArgumentException("The password is given twice, in the URL and beside it; give it once.");
            }
            url = login.url();
            user = user == null ? login.user() : user;
            password = password == null ? login.password() : password;
        }
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** Without further parameters. */
    public ConnectionSettings(
            String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout) {
        this(url, user, password, clientId, connectTimeout, Map.of());
    }

    /** The same with another client id; null for none. */
    public ConnectionSettings withClientId(@Nullable String id) {
        return new ConnectionSettings(url, user, password, id, connectTimeout, properties);
    }

    /** The same with another URL. */
    public ConnectionSettings withUrl(String other) {
        return new ConnectionSettings(other, user, password, clientId, connectTimeout, properties);
    }

    /** With one parameter more, or another value of it. */
    public ConnectionSettings withProperty(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put(name, value);
        return new ConnectionSettings(url, user, password, clientId, connectTimeout, all);
    }

    /** Whether a parameter of this name holds a password. */
    public static boolean isSecret(String parameter) {
        return SECRET.matcher(parameter).find();
    }

    /** A URL as the user gave it, with {@code ***} in place of each password. */
    public static String redacted(String url) {
        return PARAMETER.matcher(LOGIN.matcher(url).replaceAll("$1:***@"))
            .replaceAll(parameter -> isSecret(UrlLogin.decoded(parameter.group(1))) ? "$1=***"
                : Matcher.quoteReplacement(parameter.group()));
    }
}
