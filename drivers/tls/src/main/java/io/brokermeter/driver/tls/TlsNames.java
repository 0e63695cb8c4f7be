package io.brokermeter.driver.tls;

/**
 * What a protocol calls the parameters of TLS, for sentences that name a remedy.
 *
 * @param trustStore the one that names certificates to trust
 * @param keyStore the one that names the certificate of this side
 * @param anyHost the setting that leaves out the check of the host
 */
public record TlsNames(String trustStore, String keyStore, String anyHost) {

    /** Of {@link TlsOptions#PARAMETERS}. */
    public static final TlsNames OWN = new TlsNames("trust-store", "key-store", "verify-host=false");
}
