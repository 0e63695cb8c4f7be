package io.brokermeter.driver.stomp;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/** Makes the TLS context that the parameters describe. */
final class TlsContext {

    private TlsContext() {}

    static SSLContext of(StompSettings.Tls tls) throws DriverException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(tls), trust(tls), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new DriverException("TLS cannot be set up (" + e.getMessage() + ").", e);
        }
    }

    private static KeyManager @Nullable [] keys(StompSettings.Tls tls) throws GeneralSecurityException, DriverException {
        String file = tls.keyStore();
        if (file == null) {
            return null;
        }
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load("key-store", file, tls.keyPassword()), password(tls.keyPassword()));
        return factory.getKeyManagers();
    }

    private static TrustManager @Nullable [] trust(StompSettings.Tls tls) throws GeneralSecurityException, DriverException {
        if (tls.trustAll()) {
            return new TrustManager[] {new TrustEverybody()};
        }
        String file = tls.trustStore();
        if (file == null) {
            return null;
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(load("trust-store", file, tls.trustPassword()));
        return factory.getTrustManagers();
    }

    private static KeyStore load(String parameter, String file, @Nullable Secret password)
            throws GeneralSecurityException, DriverException {
        try {
            return KeyStore.getInstance(new File(file), password(password));
        } catch (IOException | IllegalArgumentException e) {
            throw new DriverException("The file '" + file + "' of parameter " + parameter + " cannot be read ("
                + e.getMessage() + "); check it and " + parameter + "-password.", e);
        }
    }

    private static char @Nullable [] password(@Nullable Secret password) {
        return password == null ? null : password.reveal().toCharArray();
    }

    /** The extended kind, since Java adds checks of its own to the other one. */
    private static final class TrustEverybody extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
