package io.brokermeter.driver.core.direct;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.failure.DriverException;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.utils.ConfigurationHelper;
import org.jspecify.annotations.Nullable;

/**
 * The TLS parameters of a connector, as far as this transport has them: a trust store, a key store, and whether authority and host are
 * checked. Everything else (cipher suites, providers, masked passwords...) is left to the client's transport.
 */
final class ConnectorTls {

    /** The key under which {@link #open} puts what it has read from the files of the other parameters. */
    static final String KEY = "brokermeter-tls";

    /** Names of the parameters that this transport has. */
    static final Set<String> NAMES = Set.of(
        KEY, TransportConstants.SSL_ENABLED_PROP_NAME, TransportConstants.TRUST_ALL_PROP_NAME, TransportConstants.VERIFY_HOST_PROP_NAME,
        TransportConstants.TRUSTSTORE_PATH_PROP_NAME, TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME,
        TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, TransportConstants.KEYSTORE_PATH_PROP_NAME,
        TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, TransportConstants.KEYSTORE_TYPE_PROP_NAME);

    /** The types of stores that are recognised by their content. */
    private static final Set<String> TYPES = Set.of("JKS", "PKCS12");
    /** Begin of the system properties that come before the parameters of a URL in the client's transport. */
    private static final String CLIENT_PROPERTIES = "org.apache.activemq.ssl.";
    private static final Set<String> JDK_PROPERTIES = Set.of("javax.net.ssl.keyStore", "javax.net.ssl.trustStore");
    private static final String MASKED = "ENC(";
    /** The path of a store that has no file, such as that of a hardware token. */
    private static final String NO_FILE = "NONE";
    /** The security property with which the client's transport asks for revoked certificates. */
    private static final String REVOCATION = "ocsp.enable";

    private ConnectorTls() {}

    static boolean isEnabled(Map<String, Object> parameters) {
        return flag(TransportConstants.SSL_ENABLED_PROP_NAME, TransportConstants.DEFAULT_SSL_ENABLED, parameters);
    }

    /** Returns what of these {@link #NAMES} and of the system's properties only the client's transport supports; empty for nothing. */
    static String obstacle(Map<String, Object> parameters) {
        if (Boolean.parseBoolean(Security.getProperty(REVOCATION))) {
            return "the security property " + REVOCATION;
        }
        for (var name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(CLIENT_PROPERTIES) || JDK_PROPERTIES.contains(name)) {
                return "the system property " + name;
            }
        }
        for (var name : List.of(TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, TransportConstants.KEYSTORE_TYPE_PROP_NAME)) {
            var type = text(name, parameters);
            if (type.isPresent() && !TYPES.contains(type.get().toUpperCase(Locale.ROOT))) {
                return "the parameter " + name + "=" + type.get();
            }
        }
        for (var name : List.of(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, TransportConstants.KEYSTORE_PATH_PROP_NAME)) {
            var path = text(name, parameters);
            if (path.isPresent() && (path.get().contains(":") || path.get().isEmpty() || path.get().equalsIgnoreCase(NO_FILE))
                && !Files.isRegularFile(Path.of(path.get()))) {
                return "the parameter " + name + ", which names no file";
            }
        }
        for (var name : List.of(
            TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME)) {
            if (text(name, parameters).orElse("").startsWith(MASKED)) {
                return "the masked value of the parameter " + name;
            }
        }
        return "";
    }

    /**
     * Reads the stores of a connector for which there is no {@link #obstacle}, and keeps the result among the parameters.
     *
     * @throws DriverException with one sentence if a file cannot be used
     */
    static void open(Map<String, Object> parameters) throws DriverException {
        if (!isEnabled(parameters)) {
            return;
        }
        try {
            parameters.put(KEY, Tls.open(options(parameters)));
        } catch (IllegalArgumentException e) {
            // the file is gone since the URL was checked
            throw new DriverException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns what {@link #open} has read; null without TLS. */
    static @Nullable Tls of(Map<String, Object> parameters) {
        return (Tls) parameters.get(KEY);
    }

    /**
     * Returns the settings of a connector for which there is no {@link #obstacle}.
     *
     * @throws IllegalArgumentException with one sentence if a file cannot be read
     */
    static TlsOptions options(Map<String, Object> parameters) {
        return new TlsOptions(
            TlsOptions.store(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, text(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, parameters),
                text(TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, parameters)),
            TlsOptions.store(TransportConstants.KEYSTORE_PATH_PROP_NAME, text(TransportConstants.KEYSTORE_PATH_PROP_NAME, parameters),
                text(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, parameters)),
            flag(TransportConstants.TRUST_ALL_PROP_NAME, TransportConstants.DEFAULT_TRUST_ALL, parameters),
            flag(TransportConstants.VERIFY_HOST_PROP_NAME, TransportConstants.DEFAULT_CONNECTOR_VERIFY_HOST, parameters));
    }

    private static boolean flag(String name, boolean fallback, Map<String, Object> parameters) {
        return ConfigurationHelper.getBooleanProperty(name, fallback, parameters);
    }

    private static Optional<String> text(String name, Map<String, Object> parameters) {
        return Optional.ofNullable(ConfigurationHelper.getStringProperty(name, null, parameters));
    }
}
