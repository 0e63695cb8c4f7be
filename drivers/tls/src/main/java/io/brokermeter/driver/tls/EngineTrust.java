package io.brokermeter.driver.tls;

import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * A trust manager for clients whose engines do not know the host they are connected to. It checks the authority as usual, and the host
 * against the result of {@code hosts} for the engine. The certificate is refused if the host of its engine is unknown.
 */
final class EngineTrust extends CheckingTrust {

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.%]*:[0-9A-Fa-f:.%]*");

    private final Function<SSLEngine, @Nullable String> hosts;

    EngineTrust(X509ExtendedTrustManager jdk, Function<SSLEngine, @Nullable String> hosts) {
        super(jdk);
        this.hosts = hosts;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        super.checkServerTrusted(chain, type);
        String host = hosts.apply(engine);
        if (host == null || !names(chain[0], host)) {
            throw CertificateRefusal.wrongHost(chain[0], null);
        }
    }

    /** Returns whether a certificate was issued for a host. */
    static boolean names(X509Certificate certificate, String host) {
        List<String> names = CertificateRefusal.names(certificate);
        if (ADDRESS.matcher(host).matches()) {
            return names.stream().anyMatch(name -> sameAddress(name, host));
        }
        String lower = host.toLowerCase(Locale.ROOT);
        return (names.isEmpty() ? commonName(certificate) : names).stream().anyMatch(name -> matches(name.toLowerCase(Locale.ROOT), lower));
    }

    private static boolean matches(String name, String host) {
        if (name.startsWith("*.")) {
            int dot = host.indexOf('.');
            return dot > 0 && name.indexOf('.', 2) > 0 && host.substring(dot).equals(name.substring(1));
        }
        return name.equals(host);
    }

    private static boolean sameAddress(String name, String host) {
        try {
            // the JDK resolves a literal address without a name server
            return ADDRESS.matcher(name).matches() && InetAddress.getByName(name).equals(InetAddress.getByName(host));
        } catch (java.net.UnknownHostException e) {
            return false;
        }
    }

    private static List<String> commonName(X509Certificate certificate) {
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    return List.of(part.getValue().toString());
                }
            }
        } catch (InvalidNameException e) {
            // it has no common name that can be read
        }
        return List.of();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("Nobody knows which host this certificate is of.");
    }
}
