package io.brokermeter.contract.tls;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The requested handling of certificates by a connection.
 *
 * @param trustStore PKCS12 file of trusted certificates with the password {@link CertificateAuthority#PASSWORD}; null for those of the JDK
 * @param keyStore PKCS12 file with key and certificate of the client, with the same password; null for none
 * @param anyHost whether the certificate may name any host
 * @param trustAll whether any certificate is accepted
 */
public record Wish(@Nullable Path trustStore, @Nullable Path keyStore, boolean anyHost, boolean trustAll) {

    static final Wish NOTHING = new Wish(null, null, false, false);

    /** Returns the parameters for drivers that have no other names for them. */
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
