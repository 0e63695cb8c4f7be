package io.brokermeter.driver.core.codec;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;

/**
 * The parameters of TLS of a URL, as far as this package has them: a trust store, a key store, and whether authority and host are checked.
 * Everything else (cipher suites, providers, masked passwords...) is left to Artemis' client.
 */
final class CodecTls {

    static final TlsNames NAMES = new TlsNames(TransportConstants.TRUSTSTORE_PATH_PROP_NAME, TransportConstants.KEYSTORE_PATH_PROP_NAME,
        TransportConstants.VERIFY_HOST_PROP_NAME + "=false");

    /** The parameters that this package has. */
    private static final Set<String> KNOWN = Set.of(TransportConstants.SSL_ENABLED_PROP_NAME, TransportConstants.TRUST_ALL_PROP_NAME,
        TransportConstants.VERIFY_HOST_PROP_NAME, TransportConstants.TRUSTSTORE_PATH_PROP_NAME,
        TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, TransportConstants.TRUSTSTORE_TYPE_PROP_NAME,
        TransportConstants.KEYSTORE_PATH_PROP_NAME, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME,
        TransportConstants.KEYSTORE_TYPE_PROP_NAME);
    /** The types of stores that are recognised by their content. */
    private static final Set<String> TYPES = Set.of("JKS", "PKCS12");
    /** Begin of the system properties that come before the parameters of a URL in the client. */
    private static final String CLIENT_PROPERTIES = "org.apache.activemq.ssl.";
    private static final Set<String> JDK_PROPERTIES = Set.of("javax.net.ssl.keyStore", "javax.net.ssl.trustStore");
    private static final String MASKED = "ENC(";
    /** The path of a store that has no file, such as that of a hardware token. */
    private static final String NO_FILE = "NONE";
    /** The security property with which the client asks for revoked certificates. */
    private static final String REVOCATION = "ocsp.enable";

    private CodecTls() {}

    static boolean has(String parameter) {
        return KNOWN.contains(parameter);
    }

    static boolean isEnabled(BrokerUrl url) {
        return flag(TransportConstants.SSL_ENABLED_PROP_NAME, false, url);
    }

    /** Returns what of the parameters that this class {@linkplain #has has}, and of the system's properties, only the client supports. */
    static String obstacle(BrokerUrl url) {
        if (Boolean.parseBoolean(Security.getProperty(REVOCATION))) {
            return "the security property " + REVOCATION;
        }
        for (var name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(CLIENT_PROPERTIES) || JDK_PROPERTIES.contains(name)) {
                return "the system property " + name;
            }
        }
        for (var name : List.of(TransportConstants.TRUSTSTORE_TYPE_PROP_NAME, TransportConstants.KEYSTORE_TYPE_PROP_NAME)) {
            var type = url.value(name);
            if (type.isPresent() && !TYPES.contains(type.get().toUpperCase(Locale.ROOT))) {
                return "the parameter " + name + "=" + type.get();
            }
        }
        for (var name : List.of(NAMES.trustStore(), NAMES.keyStore())) {
            var path = url.value(name);
            if (path.isPresent() && (path.get().contains(":") || path.get().isEmpty() || path.get().equalsIgnoreCase(NO_FILE))
                && !Files.isRegularFile(Path.of(path.get()))) {
                return "the parameter " + name + ", which names no file";
            }
        }
        for (var name : List.of(
            TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME)) {
            if (url.value(name).orElse("").startsWith(MASKED)) {
                return "the masked value of the parameter " + name;
            }
        }
        return "";
    }

    /**
     * Returns the settings of a URL for which there is no {@link #obstacle}; empty without TLS.
     *
     * @throws IllegalArgumentException with one sentence if a file cannot be read
     */
    static Optional<TlsOptions> options(BrokerUrl url) {
        return isEnabled(url) ? Optional.of(new TlsOptions(
            TlsOptions.store(NAMES.trustStore(), url.value(NAMES.trustStore()),
                url.value(TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME)),
            TlsOptions.store(NAMES.keyStore(), url.value(NAMES.keyStore()), url.value(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME)),
            flag(TransportConstants.TRUST_ALL_PROP_NAME, false, url), flag(TransportConstants.VERIFY_HOST_PROP_NAME, true, url)))
            : Optional.empty();
    }

    private static boolean flag(String name, boolean fallback, BrokerUrl url) {
        return url.value(name).map(Boolean::parseBoolean).orElse(fallback);
    }
}
