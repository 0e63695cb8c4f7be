package io.brokermeter.contract.tls;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a connection is to do about certificates.
 *
 * @param trustStore whom to trust, a PKCS12 file with the password {@link CertificateAuthority#PASSWORD}; null for the JDK's own
 * @param keyStore who this side is, a file of the same kind; null for nobody
 * @param anyHost whether the certificate may name any host
 * @param trustAll whether any certificate will do
 */
public record Wish(@Nullable Path trustStore, @Nullable Path keyStore, boolean anyHost, boolean trustAll) {

    static final Wish NOTHING = new Wish(null, null, false, false);

    /** In the parameters of drivers that have no other names for them. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new HashMap<>();
        if (trustStore != null) {
            parameters.put("trust-store", trustStore.toString());
            parameters.put("trust-store-password", CertificateAuthority.PASSWORD);
        }
        if (keyStore != null) {
            parameters.put("key-store", keyStore.toString());
            parameters.put("key-store-password", CertificateAuthority.PASSWORD);
        }
        if (anyHost) {
            parameters.put("verify-host", "false");
        }
        if (trustAll) {
            parameters.put("trust-all", "true");
        }
        return parameters;
    }
}
