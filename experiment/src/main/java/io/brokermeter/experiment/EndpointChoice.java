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
import java.util.function.Consumer;
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
public record EndpointChoice(
        @Nullable String protocol, @Nullable String url, @Nullable String user, @Nullable Path passwordFile,
        @Nullable String passwordVariable, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties, NetworkRule network) {

    /** How long a connection may take unless the user says otherwise. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** What the record of a run names when a password was given in another way than by a file. */
    public static final String PASSWORD_VARIABLE = "BROKERMETER_PASSWORD";

    /** The same for a password of consumers alone. */
    public static final String CONSUMER_PASSWORD_VARIABLE = "BROKERMETER_CONSUMER_PASSWORD";

    private static final Pattern HIDDEN = Pattern.compile("(?<=[?&;,(])([^=&?;,(]+)=" + Redaction.MASKS + "(?=[&;,)#]|$)");

    /** A way of which everything is open. */
    public static final EndpointChoice OPEN = new Values().access();

    public EndpointChoice {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** What it is made of by name, open as long as it is not set. */
    public static final class Values {

        public @Nullable String protocol;
        public @Nullable String url;
        public @Nullable String user;
        public @Nullable Path passwordFile;
        public @Nullable String passwordVariable;
        public @Nullable String clientId;
        public Duration connectTimeout = CONNECT_TIMEOUT;
        public Map<String, String> properties = Map.of();
        public NetworkRule network = NetworkRule.NONE;

        private Values() {}

        private EndpointChoice access() {
            return new EndpointChoice(protocol, url, user, passwordFile, passwordVariable, clientId, connectTimeout, properties, network);
        }
    }

    /** The same but for what {@code change} sets. */
    public EndpointChoice but(Consumer<Values> change) {
        Values its = new Values();
        its.protocol = protocol;
        its.url = url;
        its.user = user;
        its.passwordFile = passwordFile;
        its.passwordVariable = passwordVariable;
        its.clientId = clientId;
        its.connectTimeout = connectTimeout;
        its.properties = properties;
        its.network = network;
        change.accept(its);
        return its.access();
    }

    /** The same with protocol and URL known. */
    public EndpointChoice at(String knownProtocol, @Nullable String knownUrl) {
        return but(its -> {
            its.protocol = knownProtocol;
            its.url = knownUrl;
        });
    }

    /** The same with a user name. */
    public EndpointChoice as(@Nullable String knownUser) {
        return but(its -> its.user = knownUser);
    }

    /** The same with other parameters. */
    public EndpointChoice having(Map<String, String> parameters) {
        return but(its -> its.properties = parameters);
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
        String written = urlPassword();
        return written != null && Redaction.isMask(written);
    }

    /** Whether that password was not the only one of a sweep, so that none which is given now can be that of all trials. */
    public boolean wantsAnotherPassword() {
        String written = urlPassword();
        return written != null && Redaction.isMask(written) && !written.equals(Redaction.MASK);
    }

    private @Nullable String urlPassword() {
        UrlLogin login = url == null ? null : UrlLogin.of(url);
        Secret password = login == null ? null : login.password();
        return password == null ? null : password.reveal();
    }

    /** The names of parameters whose values the files of a run do not keep. */
    public List<String> hidden() {
        List<String> names = new ArrayList<>();
        properties.forEach((name, value) -> {
            if (Redaction.isMask(value)) {
                names.add(name);
            }
        });
        if (url != null) {
            HIDDEN.matcher(url).results().forEach(match -> names.add(match.group(1)));
        }
        return names;
    }

    /** The same with what {@link #hidden()} names. */
    public EndpointChoice revealed(Map<String, String> secrets) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.replaceAll((name, value) -> Redaction.isMask(value) ? secrets.getOrDefault(name, value) : value);
        String whole = url == null ? null : HIDDEN.matcher(url).replaceAll(match -> Matcher.quoteReplacement(
            secrets.containsKey(match.group(1)) ? match.group(1) + "=" + URLEncoder.encode(secrets.get(match.group(1)),
                StandardCharsets.UTF_8).replace("+", "%20") : match.group()));
        return but(its -> {
            its.url = whole;
            its.properties = all;
        });
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
