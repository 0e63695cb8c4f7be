package io.brokermeter.spi;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;

/**
 * The settings with which a client connects to a broker. Immutable. A user name and a password in the URL are moved out of it into the
 * settings.
 *
 * @param url the broker URL as the user gave it, in any of the forms the protocol's own client understands
 * @param user user name, or null for none
 * @param password password, or null for none
 * @param clientId client id that the connection must carry, or null for none
 * @param connectTimeout the longest that {@link Driver#connect} may take
 * @param properties further parameters of driver and client by name; they have the same effect as parameters of
 *     the URL, and a parameter that is in both is an error
 * @param source address of this machine from which to connect, in numbers; null for that which the system chooses
 */
public record ConnectionSettings(
        String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties, @Nullable String source) {

    /** A user name (end of group 1) and a password (group 2) in front of a server; each server of a list may repeat them. */
    private static final Pattern LOGIN = Pattern.compile("((?:://|,)[^/?#@:,]*):([^/?#,]*)@");
    /**
     * A parameter of a URL: its name (group 1) and its value (group 2). A value ends where the next parameter or the next server of a
     * list begins, but not within quotes, and includes a last semicolon. The value is matched possessively, since backtracking would
     * take stack frames for each of its characters.
     */
    private static final Pattern PARAMETER = Pattern.compile(
        "(?<=[?&;,(])([^=&?;,(]+)=((?:\"[^\"]*\"|(?!,[A-Za-z][A-Za-z0-9+.-]*:)[^&;)])*+(?:;(?=[&)#]|$))?)");
    /**
     * The names of parameters that hold a secret. Two of Kafka's are listed in full, as their names contain none of the usual words: a
     * login module with its options, and a private key.
     */
    private static final Pattern SECRET = Pattern.compile(
        "(?i)password|passcode|passphrase|secret|token|credentials$|jaas\\.config$|keystore\\.key$");
    /** The names of parameters that say where a secret is found, or how long it is valid, and do not hold it. */
    private static final Pattern ABOUT_SECRET = Pattern.compile("(?i)(?:file|env|url|uri|[._-]ms)$");

    /** @throws IllegalArgumentException with one sentence for the user, when the user or the password is given twice */
    public ConnectionSettings {
        url = ServerUrl.withPlainZones(url);
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

    /** Creates settings without further parameters. */
    public ConnectionSettings(
            String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout) {
        this(url, user, password, clientId, connectTimeout, Map.of());
    }

    /** Creates settings for connections from the address that the system chooses. */
    public ConnectionSettings(
            String url, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Duration connectTimeout,
            Map<String, String> properties) {
        this(url, user, password, clientId, connectTimeout, properties, null);
    }

    /** Returns a copy of these settings for a connection from an address of this machine; null for that which the system chooses. */
    public ConnectionSettings withSource(@Nullable String address) {
        return new ConnectionSettings(url, user, password, clientId, connectTimeout, properties, address);
    }

    /** Returns a copy of these settings with another client id; null for none. */
    public ConnectionSettings withClientId(@Nullable String id) {
        return new ConnectionSettings(url, user, password, id, connectTimeout, properties, source);
    }

    /** Returns a copy of these settings with another URL. */
    public ConnectionSettings withUrl(String other) {
        return new ConnectionSettings(other, user, password, clientId, connectTimeout, properties, source);
    }

    /** Returns a copy of these settings with this parameter added, or with this value in place of its former one. */
    public ConnectionSettings withProperty(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put(name, value);
        return new ConnectionSettings(url, user, password, clientId, connectTimeout, all, source);
    }

    /** Returns whether a parameter of this name holds a secret, for example a password. */
    public static boolean isSecret(String parameter) {
        return SECRET.matcher(parameter).find() && !ABOUT_SECRET.matcher(parameter).find();
    }

    /** Returns a URL as the user gave it, with {@code ***} in place of each password. */
    public static String redacted(String url) {
        return redacted(url, (_, _) -> "***");
    }

    /**
     * Returns a URL as the user gave it, with another text in place of each password.
     *
     * @param mask returns that text, for the name of the parameter, which is empty for a password in front of a server, and the password
     */
    public static String redacted(String url, BinaryOperator<String> mask) {
        String plain = LOGIN.matcher(url)
            .replaceAll(login -> Matcher.quoteReplacement(login.group(1) + ":" + mask.apply("", login.group(2)) + "@"));
        return PARAMETER.matcher(plain).replaceAll(parameter -> {
            String name = UrlLogin.decoded(parameter.group(1));
            return Matcher.quoteReplacement(
                isSecret(name) ? parameter.group(1) + "=" + mask.apply(name, parameter.group(2)) : parameter.group());
        });
    }
}
