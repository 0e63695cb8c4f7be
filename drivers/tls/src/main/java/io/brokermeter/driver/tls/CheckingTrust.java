package io.brokermeter.driver.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * Leaves the decision to the JDK's trust manager, and replaces its exception by a {@link CertificateRefusal}. The host is checked if the
 * socket or engine requests it.
 */
class CheckingTrust extends X509ExtendedTrustManager {

    private final X509ExtendedTrustManager jdk;

    CheckingTrust(X509ExtendedTrustManager jdk) {
        this.jdk = jdk;
    }

    /** Returns a trust manager with the same authorities, for clients whose engines do not know the host they connect to. */
    CheckingTrust forEngines(Function<SSLEngine, @Nullable String> hosts) {
        return new EngineTrust(jdk, hosts);
    }

    private interface Check {

        void run() throws CertificateException;
    }

    private void server(X509Certificate[] chain, String type, Check whole) throws CertificateException {
        try {
            whole.run();
        } catch (CertificateException e) {
            throw refusal(chain, type, e);
        }
    }

    private CertificateRefusal refusal(X509Certificate[] chain, String type, CertificateException cause) {
        try {
            jdk.checkServerTrusted(chain, type);
        } catch (CertificateException e) {
            return CertificateRefusal.untrusted(chain[0], cause);
        }
        return CertificateRefusal.wrongHost(chain[0], cause);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        server(chain, type, () -> jdk.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        server(chain, type, () -> jdk.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        server(chain, type, () -> jdk.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        jdk.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        jdk.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        jdk.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return jdk.getAcceptedIssuers();
    }
}
