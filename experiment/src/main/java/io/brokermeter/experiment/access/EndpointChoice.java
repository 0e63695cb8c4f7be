package io.brokermeter.experiment.access;

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

import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.BoundedText;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;

/**
 * A group's access to a broker as a scenario file specifies it: parts may be open until a broker runs, and instead of the password
 * it has only the place of the password. Two groups with equal access share an endpoint. Immutable.
 *
 * @param protocol the driver's name as it was written, or null to derive it from the URL or the broker
 * @param url the broker's URL, or null for that of the broker that is started for the trial
 * @param user user name, or null for none
 * @param passwordFile file whose first line is the password, or null
 * @param passwordVariable name of the environment variable that has the password, or null
 * @param clientId prefix of client ids, or null
 * @param connectTimeout the longest time that establishing one connection may take
 * @param properties parameters of driver and client
 * @param network rule of the network between the group and the broker
 */
public record EndpointChoice(
        @Nullable String protocol, @Nullable String url, @Nullable String user, @Nullable Path passwordFile,
        @Nullable String passwordVariable, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties, NetworkRule network) {

    /** The default of the longest time that establishing one connection may take. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** The environment variable that the files of a run name for a password that was not given by a file. */
    public static final String PASSWORD_VARIABLE = "BROKERMETER_PASSWORD";

    /** The environment variable that the files of a run name for a password of consumers alone. */
    public static final String CONSUMER_PASSWORD_VARIABLE = "BROKERMETER_CONSUMER_PASSWORD";

    private static final Pattern HIDDEN = Pattern.compile("(?<=[?&;,(])([^=&?;,(]+)=" + Redaction.MASKS + "(?=[&;,)#]|$)");

    /** The access of which everything is open. */
    public static final EndpointChoice OPEN = new Values().access();

    public EndpointChoice {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** The components of an access as mutable fields, each open until it is set. */
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

    /** Returns a copy of this access with the changes that {@code change} makes. */
    public EndpointChoice with(Consumer<Values> change) {
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

    /** Returns a copy of this access with this protocol and URL. */
    public EndpointChoice at(String knownProtocol, @Nullable String knownUrl) {
        return with(its -> {
            its.protocol = knownProtocol;
            its.url = knownUrl;
        });
    }

    /** Returns a copy of this access with this user name; null for none. */
    public EndpointChoice as(@Nullable String knownUser) {
        return with(its -> its.user = knownUser);
    }

    /** Returns a copy of this access with these parameters in place of its own. */
    public EndpointChoice having(Map<String, String> parameters) {
        return with(its -> its.properties = parameters);
    }

    /** Returns the user name, which may be part of the URL; null for none. */
    public @Nullable String who() {
        UrlLogin login = url == null ? null : UrlLogin.of(url);
        return user != null || login == null ? user : login.user();
    }

    /** Returns whether this access needs a password that the files of a run do not keep, and that no environment variable has. */
    public boolean wantsPassword() {
        if (passwordVariable != null && (passwordVariable.equals(PASSWORD_VARIABLE)
            || passwordVariable.equals(CONSUMER_PASSWORD_VARIABLE))) {
            String value = System.getenv(passwordVariable);
            return value == null || value.isEmpty();
        }
        String written = urlPassword();
        return written != null && Redaction.isMask(written);
    }

    /** Returns whether its URL had one of several passwords of a sweep, so that a single password cannot serve all trials. */
    public boolean wantsAnotherPassword() {
        String written = urlPassword();
        return written != null && Redaction.isMask(written) && !written.equals(Redaction.MASK);
    }

    private @Nullable String urlPassword() {
        UrlLogin login = url == null ? null : UrlLogin.of(url);
        Secret password = login == null ? null : login.password();
        return password == null ? null : password.reveal();
    }

    /** Returns the names of parameters whose values the files of a run do not keep. */
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

    /** Returns a copy of this access with values for the parameters that {@link #hidden()} names; {@code secrets} has them by name. */
    public EndpointChoice revealed(Map<String, String> secrets) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.replaceAll((name, value) -> Redaction.isMask(value) ? secrets.getOrDefault(name, value) : value);
        String whole = url == null ? null : HIDDEN.matcher(url).replaceAll(match -> Matcher.quoteReplacement(
            secrets.containsKey(match.group(1)) ? match.group(1) + "=" + URLEncoder.encode(secrets.get(match.group(1)),
                StandardCharsets.UTF_8).replace("+", "%20") : match.group()));
        return with(its -> {
            its.url = whole;
            its.properties = all;
        });
    }

    /** Returns the endpoint of a scenario that is not connected yet: without a password, and with empty texts for what is open. */
    public Endpoint placeholder() {
        return new Endpoint(protocol == null ? "" : protocol,
            new ConnectionSettings(url == null ? "" : url, user, null, clientId, connectTimeout, properties));
    }

    /** Returns the endpoint for this access and a known protocol, URL and password. */
    public Endpoint endpoint(String knownProtocol, String knownUrl, @Nullable Secret password) {
        UrlLogin login = UrlLogin.of(knownUrl);
        String user = who();
        return new Endpoint(knownProtocol, new ConnectionSettings(login == null ? knownUrl : login.url(),
            user != null || login == null ? user : login.user(),
            password != null || login == null ? password : login.password(), clientId, connectTimeout, properties),
            network.rtt());
    }

    /**
     * Reads the password from the environment variable or file that this access names.
     *
     * @return the password, or null when it names neither
     * @throws UsageException with one sentence, when there is no password in that place
     */
    public @Nullable Secret password() {
        if (passwordVariable != null) {
            String value = System.getenv(passwordVariable);
            if (value == null || value.isEmpty()) {
                throw new UsageException("The environment variable " + passwordVariable
                    + ", which key 'passwordEnv' names, is not set.");
            }
            if (value.indexOf('\uFFFD') >= 0) {
                // The JVM replaced what it could not read.
                throw new UsageException("The environment variable " + passwordVariable
                    + ", which key 'passwordEnv' names, is not a text in UTF-8.");
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
