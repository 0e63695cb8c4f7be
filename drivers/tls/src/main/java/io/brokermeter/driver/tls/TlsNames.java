package io.brokermeter.driver.tls;

/**
 * A protocol's names for the TLS parameters, for error messages that name a remedy.
 *
 * @param trustStore the parameter for certificates to trust
 * @param keyStore the parameter for the certificate of this side
 * @param anyHost the setting that lets the certificate be for another host
 */
public record TlsNames(String trustStore, String keyStore, String anyHost) {

    /** The names of {@link TlsOptions#PARAMETERS}. */
    public static final TlsNames OWN = new TlsNames("trust-store", "key-store", "server-name=NAME or verify-host=false");

    /** The names of {@link TlsOptions#PARAMETERS} without {@link TlsOptions#SERVER_NAME}. */
    public static final TlsNames WITHOUT_SERVER_NAME = new TlsNames("trust-store", "key-store", "verify-host=false");
}
