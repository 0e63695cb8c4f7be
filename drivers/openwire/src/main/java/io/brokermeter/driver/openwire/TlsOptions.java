package io.brokermeter.driver.openwire;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Parameter;
import io.brokermeter.spi.Parameters;
import io.brokermeter.spi.Secret;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSslConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * How to speak TLS.
 *
 * @param trustStore whom to trust; empty for the JDK's default
 * @param keyStore who we are; empty for nobody
 * @param trustAll whether every certificate will do
 * @param verifyHost whether the certificate must name the host
 */
record TlsOptions(Optional<Store> trustStore, Optional<Store> keyStore, boolean trustAll, boolean verifyHost) {

    static final List<Parameter> PARAMETERS = List.of(
        new Parameter("trust-store", "FILE", "", "Key store with the certificates that are trusted; the JDK's own unless given."),
        new Parameter("trust-store-password", "TEXT", "", "The password of trust-store."),
        new Parameter("key-store", "FILE", "", "Key store with the certificate that this side shows."),
        new Parameter("key-store-password", "TEXT", "", "The password of key-store."),
        new Parameter("trust-all", "true|false", "false", "Whether any certificate of the broker is accepted."),
        new Parameter("verify-host", "true|false", "true", "Whether the broker's certificate must name its host."));

    /** A key store file with its password. */
    record Store(Path path, Secret password) {}

    /** @param tls whether the URL asks for TLS; one of the parameters is an error when it does not */
    static TlsOptions of(Parameters values, boolean tls) {
        for (var parameter : PARAMETERS) {
            if (!tls && values.has(parameter.name())) {
                throw new IllegalArgumentException(
                    "Parameter " + parameter.name() + " needs TLS; begin the URL with openwires:// or ssl://.");
            }
        }
        return new TlsOptions(store(values, "trust-store"), store(values, "key-store"), values.flag("trust-all"),
            values.flag("verify-host"));
    }

    private static Optional<Store> store(Parameters values, String name) {
        var file = values.text(name);
        var password = values.text(name + "-password").orElse("");
        if (file.isEmpty()) {
            if (values.has(name + "-password")) {
                throw new IllegalArgumentException("Parameter " + name + "-password needs " + name + ".");
            }
            return Optional.empty();
        }
        var path = Path.of(file.get());
        if (!Files.isReadable(path)) {
            throw new IllegalArgumentException("Parameter " + name + " names '" + path + "', which cannot be read.");
        }
        return Optional.of(new Store(path, Secret.of(password)));
    }

    /** A factory for connections with these options, without a URL. */
    ActiveMQConnectionFactory factory() throws IOException {
        if (trustStore.isEmpty() && keyStore.isEmpty() && !trustAll) {
            return new ActiveMQConnectionFactory();
        }
        try {
            var factory = new ActiveMQSslConnectionFactory();
            factory.setKeyAndTrustManagers(keyManagers(), trustManagers(), null);
            return factory;
        } catch (GeneralSecurityException e) {
            throw new DriverException("TLS cannot be set up: " + e.getMessage() + ".", e);
        }
    }

    private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException, IOException {
        if (keyStore.isEmpty()) {
            return null;
        }
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load(keyStore.get()), keyStore.get().password().reveal().toCharArray());
        return factory.getKeyManagers();
    }

    private TrustManager @Nullable [] trustManagers() throws GeneralSecurityException, IOException {
        if (trustAll) {
            return new TrustManager[] {new Anybody()};
        }
        if (trustStore.isEmpty()) {
            return null;
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(load(trustStore.get()));
        return factory.getTrustManagers();
    }

    private static KeyStore load(Store store) throws GeneralSecurityException, IOException {
        try {
            return KeyStore.getInstance(store.path().toFile(), store.password().reveal().toCharArray());
        } catch (IOException e) {
            throw new DriverException("The key store '" + store.path() + "' cannot be opened: " + e.getMessage() + ".", e);
        }
    }

    /** Trusts every certificate; an extended manager, so that nothing checks the host either. */
    private static final class Anybody extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
