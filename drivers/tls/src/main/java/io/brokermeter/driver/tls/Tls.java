package io.brokermeter.driver.tls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import io.brokermeter.spi.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * Speaks TLS as {@link TlsOptions} say. A refused certificate is reported by a {@link CertificateRefusal} among the causes of the
 * exception, of which {@link TlsRefusal} makes a sentence. Safe for several threads.
 */
public final class Tls {

    /**
     * How long to wait for the alert of a peer that refuses our certificate: in TLS 1.3 it comes after the handshake, and on a busy machine late.
     * Only a connection that failed is looked at, so the wait delays nothing but its sentence.
     */
    private static final int LATE_ALERT_MILLIS = 1500;

    private final TlsOptions options;
    private final SSLContext context;
    private final List<KeyManager> keys;
    private final X509ExtendedTrustManager trust;

    private Tls(TlsOptions options, List<KeyManager> keys, X509ExtendedTrustManager trust) throws GeneralSecurityException {
        this.options = options;
        this.keys = keys;
        this.trust = trust;
        this.context = SSLContext.getInstance("TLS");
        context.init(keyManagers(), trustManagers(), null);
    }

    /**
     * Reads the files.
     *
     * @throws DriverException when one of them cannot be used
     */
    public static Tls open(TlsOptions options) throws DriverException {
        try {
            List<KeyManager> keys = new ArrayList<>();
            if (options.keyStore().isPresent()) {
                TlsOptions.Store store = options.keyStore().get();
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(KeyFiles.own(store), store.password().reveal().toCharArray());
                keys.addAll(List.of(factory.getKeyManagers()));
            }
            return new Tls(options, keys, options.trustAll() ? new AnyTrust() : new CheckingTrust(authorities(options.trustStore())));
        } catch (DriverException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new DriverException("TLS cannot be set up (" + e.getMessage() + ").", e);
        }
    }

    private static X509ExtendedTrustManager authorities(Optional<TlsOptions.Store> store) throws IOException, GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store.isPresent() ? KeyFiles.trusted(store.get()) : (KeyStore) null);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager x509) {
                return x509;
            }
        }
        throw new DriverException("This JVM has no way to check certificates.", null);
    }

    public TlsOptions options() {
        return options;
    }

    /** The context; whoever uses it sees to the check of the host, see {@link #checkHost}. */
    public SSLContext context() {
        return context;
    }

    /** Who we are; null for nobody. */
    public KeyManager @Nullable [] keyManagers() {
        return keys.isEmpty() ? null : keys.toArray(KeyManager[]::new);
    }

    /** Whom we trust; one manager. */
    public TrustManager[] trustManagers() {
        return new TrustManager[] {trust};
    }

    /**
     * A trust manager for engines that do not know their host, with the same authorities; it sees to the check of the host
     * as the options say.
     *
     * @param hosts answers the host that an engine is for
     */
    public TrustManager trustOf(Function<SSLEngine, @Nullable String> hosts) {
        return options.verifyHost() && trust instanceof CheckingTrust checking ? checking.forEngines(hosts) : trust;
    }

    /** Adds the check of the host to the parameters of a socket or engine, unless the options say no. */
    public void checkHost(SSLParameters parameters) {
        parameters.setEndpointIdentificationAlgorithm(options.verifyHost() && !options.trustAll() ? "HTTPS" : "");
    }

    /**
     * Shakes hands over a connected socket, whose timeout for reading limits the wait.
     *
     * @return a socket over that one; closing it does not close the one below when the handshake failed
     */
    public SSLSocket over(Socket plain, String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        checkHost(parameters);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /**
     * Shakes hands once more with a server, for clients that do not tell why they could not.
     *
     * @param limit the longest that it may take
     * @return what went wrong; null when nothing did, or when the time was over
     */
    public @Nullable IOException probe(String host, int port, Duration limit) {
        int millis = (int) Math.clamp(limit.toMillis(), 1, TimeUnit.SECONDS.toMillis(3));
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), millis);
            plain.setSoTimeout(millis);
            SSLSocket socket = over(plain, host, port);
            plain.setSoTimeout(Math.min(millis, LATE_ALERT_MILLIS));
            return isEnded(socket) ? new TlsEnded() : null;
        } catch (SocketTimeoutException e) {
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private static boolean isEnded(SSLSocket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            // A reset, which may overtake the alert before it.
            return true;
        }
    }

    /** The peer closed the connection without a word, right after the handshake. */
    static final class TlsEnded extends IOException {

        private static final long serialVersionUID = 1;

        TlsEnded() {
            super("the connection ended right after the handshake");
        }
    }
}
