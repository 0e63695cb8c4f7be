package io.brokermeter.driver.core;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLSocket;

import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.remoting.impl.ssl.SSLSupport;
import org.apache.activemq.artemis.utils.ConfigurationHelper;
import org.jspecify.annotations.Nullable;

/**
 * Shakes hands once more when a TLS connection failed: the client writes the cause to its log and throws an exception
 * without it.
 */
final class TlsProbe {

    private TlsProbe() {}

    /**
     * Why a TLS connection to one of the brokers cannot be made, as far as a handshake with the same stores tells.
     *
     * @param limit the longest that the handshake may take
     * @return the cause, or null when the handshake succeeds
     */
    static @Nullable Exception failure(TransportConfiguration[] connectors, Duration limit) {
        int millis = (int) Math.clamp(limit.toMillis(), 1, 3000);
        for (var connector : connectors) {
            try {
                shakeHands(connector.getParams(), millis);
                return null;
            } catch (Exception e) {
                if (connector == connectors[connectors.length - 1]) {
                    return e;
                }
            }
        }
        return null;
    }

    private static void shakeHands(Map<String, Object> parameters, int millis) throws Exception {
        var support = new SSLSupport()
            .setKeystorePath(text(parameters, TransportConstants.KEYSTORE_PATH_PROP_NAME))
            .setKeystorePassword(text(parameters, TransportConstants.KEYSTORE_PASSWORD_PROP_NAME))
            .setTruststorePath(text(parameters, TransportConstants.TRUSTSTORE_PATH_PROP_NAME))
            .setTruststorePassword(text(parameters, TransportConstants.TRUSTSTORE_PASSWORD_PROP_NAME))
            .setTrustAll(flag(parameters, TransportConstants.TRUST_ALL_PROP_NAME, false));
        var keyStoreType = text(parameters, TransportConstants.KEYSTORE_TYPE_PROP_NAME);
        if (keyStoreType != null) {
            support.setKeystoreType(keyStoreType);
        }
        var trustStoreType = text(parameters, TransportConstants.TRUSTSTORE_TYPE_PROP_NAME);
        if (trustStoreType != null) {
            support.setTruststoreType(trustStoreType);
        }
        var host = String.valueOf(parameters.get(TransportConstants.HOST_PROP_NAME));
        int port = ConfigurationHelper.getIntProperty(
            TransportConstants.PORT_PROP_NAME, TransportConstants.DEFAULT_PORT, parameters);
        try (var plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), millis);
            plain.setSoTimeout(millis);
            try (var socket = (SSLSocket) support.createContext().getSocketFactory()
                    .createSocket(plain, host, port, true)) {
                if (flag(parameters, TransportConstants.VERIFY_HOST_PROP_NAME, true)) {
                    var settings = socket.getSSLParameters();
                    settings.setEndpointIdentificationAlgorithm("HTTPS");
                    socket.setSSLParameters(settings);
                }
                socket.startHandshake();
            }
        }
    }

    private static @Nullable String text(Map<String, Object> parameters, String name) {
        var value = parameters.get(name);
        return value == null ? null : value.toString();
    }

    private static boolean flag(Map<String, Object> parameters, String name, boolean otherwise) {
        return ConfigurationHelper.getBooleanProperty(name, otherwise, parameters);
    }
}
