package io.brokermeter.spi;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
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

    /** Each server of a list may repeat it. */
    private static final Pattern LOGIN = Pattern.compile("((?:://|,)[^/?#@:,]*):([^/?#,]*)@");
    /**
     * A value ends where the next parameter or the next server of a list begins, but not within quotes, and a last semicolon is its own. It is matched
     * possessively: otherwise each character of it takes frames of the stack.
     */
    private static final Pattern PARAMETER = Pattern.compile(
        "(?<=[?&;,(])([^=&?;,(]+)=((?:\"[^\"]*\"|(?!,[A-Za-z][A-Za-z0-9+.-]*:)[^&;)])*+(?:;(?=[&)#]|$))?)");
    /** Two of Kafka's own have no word for what they hold: a login module with its options, and a private key. */
    private static final Pattern SECRET = Pattern.compile(
        "(?i)password|passcode|passphrase|secret|token|credentials$|jaas\\.config$|keystore\\.key$");
    /** What says where a password is, or how long it lasts. */
    private static final Pattern ABOUT_SECRET = Pattern.compile("(?i)(?:file|env|url|uri|[._-]ms)$");

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
        return SECRET.matcher(parameter).find() && !ABOUT_SECRET.matcher(parameter).find();
    }

    /** A URL as the user gave it, with {@code ***} in place of each password. */
    public static String redacted(String url) {
        return redacted(url, (_, _) -> "***");
    }

    /**
     * A URL as the user gave it, with something else in place of each password.
     *
     * @param mask what stands in place of a password, by the name of its parameter, which is empty for that of a login, and by itself
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
