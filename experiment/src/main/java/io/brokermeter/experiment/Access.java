package io.brokermeter.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.engine.scenario.BoundedText;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Secret;
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
 */
public record Access(
        @Nullable String protocol, @Nullable String url, @Nullable String user, @Nullable Path passwordFile,
        @Nullable String passwordVariable, @Nullable String clientId, Duration connectTimeout,
        Map<String, String> properties) {

    /** How long a connection may take unless the user says otherwise. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** A way of which everything is open. */
    public static final Access OPEN = new Access(null, null, null, null, null, null, CONNECT_TIMEOUT, Map.of());

    public Access {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** The way of an endpoint, without its password. */
    public static Access of(Endpoint endpoint) {
        ConnectionSettings settings = endpoint.settings();
        return new Access(endpoint.protocol().isEmpty() ? null : endpoint.protocol(),
                settings.url().isEmpty() ? null : settings.url(), settings.user(), null, null, settings.clientId(),
                settings.connectTimeout(), settings.properties());
    }

    /** The endpoint of it, once protocol and URL are known. Without a password. */
    public Endpoint endpoint(String knownProtocol, String knownUrl) {
        return endpoint(knownProtocol, knownUrl, null);
    }

    /** The endpoint of it, once protocol, URL and password are known. */
    public Endpoint endpoint(String knownProtocol, String knownUrl, @Nullable Secret password) {
        return new Endpoint(knownProtocol,
                new ConnectionSettings(knownUrl, user, password, clientId, connectTimeout, properties));
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
            throw new UsageException("The password file " + passwordFile + " cannot be read: "
                    + e.getClass().getSimpleName() + ".");
        }
    }
}
