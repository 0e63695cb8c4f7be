package io.brokermeter.brokers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * The contents of a key store in PEM format, for programs that do not read key stores.
 *
 * @param certificates the certificate chain, the server's own certificate first
 * @param key the private key, not encrypted
 */
public record PemFiles(String certificates, String key) {

    private static final int LINE = 64;

    /** Reads the first private key of a key store. */
    public static PemFiles of(BrokerOptions.KeyStore store) throws BrokerException {
        char[] password = store.password().reveal().toCharArray();
        try (InputStream in = Files.newInputStream(store.path())) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, password);
            for (String alias : java.util.Collections.list(keys.aliases())) {
                Key key = keys.getKey(alias, password);
                if (key != null) {
                    StringBuilder chain = new StringBuilder();
                    for (Certificate certificate : keys.getCertificateChain(alias)) {
                        chain.append(pem("CERTIFICATE", certificate.getEncoded()));
                    }
                    return new PemFiles(chain.toString(), pem("PRIVATE KEY", key.getEncoded()));
                }
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new BrokerException("The key store " + store.path() + " cannot be opened: " + e.getMessage() + ".", e);
        }
        throw new BrokerException("The key store " + store.path() + " holds no private key.");
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n"
            + Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes)
            + "\n-----END " + what + "-----\n";
    }
}
