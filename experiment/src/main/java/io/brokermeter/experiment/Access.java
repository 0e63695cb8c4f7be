package io.brokermeter.experiment;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.BoundedText;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.UrlLogin;
import org.jspecify.annotations.Nullable;

/**
 * A group's way to a broker as a file says it: parts may be open until a broker runs, and of the password it says only where
 * that stands. Two groups with equal access share an endpoint.
 *
 * @param protocol the driver's name as it was written, or null to tell by the URL or the broker
 * @param url the broker's URL, or null for that of the broker that is started for the trial
 * @param user user name, or null for none
 * @param passwordFile file whose first line is the password, or null
 * @param passwordVariable name of the environment variable that has the password, or null
 * @param clientId prefix of client ids, or null
 * @param connectTimeout the longest that one connection may take
 * @param properties parameters of driver and client
 * @param network what lies between the group and the broker
 */
public record Access(
        @Nullable String protocol, @Nullable String url, @Nullable String user, @Nullable Path passwordFile,
        @Nullable String passwordVariable, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties, NetworkRule network) {

    /** How long a connection may take unless the user says otherwise. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** What the record of a run names when a password was given in another way than by a file. */
    public static final String PASSWORD_VARIABLE = "BROKERMETER_PASSWORD";

    /** The same for a password of consumers alone. */
    public static final String CONSUMER_PASSWORD_VARIABLE = "BROKERMETER_CONSUMER_PASSWORD";

    private static final Pattern HIDDEN = Pattern.compile("(?<=[?&;,(])([^=&?;,(]+)=\\*\\*\\*(?=[&;,)#]|$)");

    /** A way of which everything is open. */
    public static final Access OPEN = new Access(null, null, null, null, null, null, CONNECT_TIMEOUT, Map.of());

    /** Without anything between. */
    public Access(@Nullable String protocol, @Nullable String url, @Nullable String user, @Nullable Path passwordFile,
            @Nullable String passwordVariable, @Nullable String clientId, Duration connectTimeout, Map<String, String> properties) {
        this(protocol, url, user, passwordFile, passwordVariable, clientId, connectTimeout, properties, NetworkRule.NONE);
    }

    public Access {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** The same with protocol and URL known. */
    public Access at(String knownProtocol, @Nullable String knownUrl) {
        return new Access(knownProtocol, knownUrl, user, passwordFile, passwordVariable, clientId, connectTimeout, properties, network);
    }

    /** The same with a user name. */
    public Access as(@Nullable String knownUser) {
        return new Access(protocol, url, knownUser, passwordFile, passwordVariable, clientId, connectTimeout, properties, network);
    }

    /** The same with other parameters. */
    public Access having(Map<String, String> parameters) {
        return new Access(protocol, url, user, passwordFile, passwordVariable, clientId, connectTimeout, parameters, network);
    }

    /** The user name, which may stand in the URL; null for none. */
    public @Nullable String who() {
        UrlLogin login = url == null ? null : UrlLogin.of(url);
        return user != null || login == null ? user : login.user();
    }

    /** Whether a password belongs to it that the files of a run do not keep, and that no environment variable has. */
    public boolean wantsPassword() {
        if (passwordVariable != null && (passwordVariable.equals(PASSWORD_VARIABLE)
            || passwordVariable.equals(CONSUMER_PASSWORD_VARIABLE))) {
            String value = System.getenv(passwordVariable);
            return value == null || value.isEmpty();
        }
        UrlLogin login = url == null ? null : UrlLogin.of(url);
        return login != null && login.password() != null && login.password().reveal().equals(Redaction.MASK);
    }

    /** The names of parameters whose values the files of a run do not keep. */
    public List<String> hidden() {
        List<String> names = new ArrayList<>();
        properties.forEach((name, value) -> {
            if (value.equals(Redaction.MASK)) {
                names.add(name);
            }
        });
        if (url != null) {
            HIDDEN.matcher(url).results().forEach(match -> names.add(match.group(1)));
        }
        return names;
    }

    /** The same with what {@link #hidden()} names. */
    public Access revealed(Map<String, String> secrets) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.replaceAll((name, value) -> value.equals(Redaction.MASK) ? secrets.getOrDefault(name, value) : value);
        String whole = url == null ? null : HIDDEN.matcher(url).replaceAll(match -> Matcher.quoteReplacement(
            secrets.containsKey(match.group(1)) ? match.group(1) + "=" + URLEncoder.encode(secrets.get(match.group(1)),
                StandardCharsets.UTF_8).replace("+", "%20") : match.group()));
        return new Access(protocol, whole, user, passwordFile, passwordVariable, clientId, connectTimeout, all, network);
    }

    /** The endpoint of it, once protocol, URL and password are known. */
    public Endpoint endpoint(String knownProtocol, String knownUrl, @Nullable Secret password) {
        UrlLogin login = UrlLogin.of(knownUrl);
        String user = who();
        return new Endpoint(knownProtocol, new ConnectionSettings(login == null ? knownUrl : login.url(),
            user != null || login == null ? user : login.user(),
            password != null || login == null ? password : login.password(), clientId, connectTimeout, properties),
            network.rtt());
    }

    /**
     * Reads the password from where the file says it stands.
     *
     * @return null when it says nothing
     * @throws UsageException with one sentence, when there is none
     */
    public @Nullable Secret password() {
        if (passwordVariable != null) {
            String value = System.getenv(passwordVariable);
            if (value == null || value.isEmpty()) {
                throw new UsageException("The environment variable " + passwordVariable
                    + ", which key 'passwordEnv' names, is not set.");
            }
            return Secret.of(value);
        }
        if (passwordFile == null) {
            return null;
        }
        try {
            String line = BoundedText.firstLine(passwordFile);
            if (line.isEmpty()) {
                throw new UsageException("The password file " + passwordFile + " has no password in its first line.");
            }
            return Secret.of(line);
        } catch (BoundedText.TooLong e) {
            throw new UsageException("The password file " + passwordFile
                + " has a first line of more than 64 KiB, which no password is.");
        } catch (IOException e) {
            throw new UsageException("The password file " + passwordFile + (e instanceof NoSuchFileException ? " does not exist."
                : " cannot be read" + (e instanceof AccessDeniedException ? ": that is not permitted." : ".")));
        }
    }
}
