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

import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Opens TLS connections with the settings of {@link TlsOptions}. A refused certificate is reported by a {@link CertificateRefusal} among
 * the causes of the exception; {@link TlsRefusal} words it as a sentence. Safe for use by several threads.
 */
public final class Tls {

    /**
     * The longest wait, in milliseconds, for the alert of a peer that refuses our certificate. In TLS 1.3 it arrives after the handshake,
     * and late on a busy machine, which may stand still for seconds. Only a connection that has failed is probed, so the wait delays
     * nothing but its error message.
     */
    private static final int LATE_ALERT_MILLIS = 4000;
    private static final Duration LONGEST_TRY = Duration.ofSeconds(5);

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
     * Reads the key and trust stores and creates the TLS context.
     *
     * @throws DriverException if a file cannot be used
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

    /** Returns the TLS context. The caller is responsible for checking the host, see {@link #checkHost}. */
    public SSLContext context() {
        return context;
    }

    /** Returns the key managers with our own certificate; null if there is none. */
    public KeyManager @Nullable [] keyManagers() {
        return keys.isEmpty() ? null : keys.toArray(KeyManager[]::new);
    }

    /** Returns the trust manager as an array of one element. */
    public TrustManager[] trustManagers() {
        return new TrustManager[] {trust};
    }

    /**
     * Returns a trust manager with the same authorities for engines that do not know their host. It checks the host itself, or the name
     * that the options give for it, if the options ask for that.
     *
     * @param hosts returns the host that an engine is connected to
     */
    public TrustManager trustOf(Function<SSLEngine, @Nullable String> hosts) {
        String name = options.serverName().orElse(null);
        return options.verifyHost() && trust instanceof CheckingTrust checking ? checking.forEngines(name == null ? hosts : any -> name)
            : trust;
    }

    /**
     * Enables the check of the host in the parameters of a socket or engine, or disables it if the options say so, and sets the name that
     * the options give for the server.
     */
    public void checkHost(SSLParameters parameters) {
        nameServer(parameters);
        parameters.setEndpointIdentificationAlgorithm(options.verifyHost() && !options.trustAll() ? "HTTPS" : "");
    }

    /** Sets the name of the server that the options give; the JDK by itself sends no name without a dot. */
    public void nameServer(SSLParameters parameters) {
        if (!options.indication().isEmpty()) {
            parameters.setServerNames(options.indication());
        }
    }

    /**
     * Performs the TLS handshake over a connected socket, whose read timeout limits the wait.
     *
     * @param host host of the server, whose name it has unless the options give another one
     * @return a TLS socket over {@code plain}; after a failed handshake {@code plain} is not closed
     */
    public SSLSocket over(Socket plain, String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, options.serverName().orElse(host), port, true);
        SSLParameters parameters = socket.getSSLParameters();
        checkHost(parameters);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /**
     * Repeats the handshake with a server, and once more where it does not end in time, since the machine may have stood still.
     *
     * @param limit time limit as for {@link #probe}, reduced to five seconds if it is longer
     * @return the failure; null if there was none, or if the server did not answer
     */
    public @Nullable IOException failure(String host, int port, Duration limit) {
        Duration each = limit.compareTo(LONGEST_TRY) < 0 ? limit : LONGEST_TRY;
        IOException failure = probe(host, port, each);
        if (failure instanceof SocketTimeoutException) {
            failure = probe(host, port, each);
        }
        return failure instanceof SocketTimeoutException ? null : failure;
    }

    /**
     * Repeats the handshake with a server, for clients that do not report why their handshake failed.
     *
     * @param limit time limit of each of these: to connect, to wait for a part of the handshake, and to wait for an alert after it
     * @return the failure; null if there was none. A {@link SocketTimeoutException} says that the handshake did not end within the limit,
     *     so nothing is known yet.
     */
    @Nullable IOException probe(String host, int port, Duration limit) {
        int millis = (int) Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), millis);
            plain.setSoTimeout(millis);
            SSLSocket socket = over(plain, host, port);
            plain.setSoTimeout(Math.min(millis, LATE_ALERT_MILLIS));
            return isEnded(socket) ? new TlsEnded() : null;
        } catch (IOException e) {
            SocketTimeoutException timeout = Failure.find(e, SocketTimeoutException.class);
            return timeout == null ? e : timeout;
        }
    }

    private static boolean isEnded(SSLSocket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            // A reset, which may overtake the alert before it.
            return true;
        }
    }

    /** The failure of a connection that the peer closed right after the handshake, without an alert. */
    static final class TlsEnded extends IOException {

        private static final long serialVersionUID = 1;

        TlsEnded() {
            super("the connection ended right after the handshake");
        }
    }
}
