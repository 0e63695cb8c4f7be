package io.brokermeter.driver.amqp091;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.spi.ConnectionSettings;

/** The port of the RabbitMQ of these tests at which a certificate is the login: its common name is the user. */
final class LoginByCertificate {

    private static final LoginByCertificate SHARED = make();

    private final CertificateAuthority.Identity server;
    private final Path directory;
    private final int port;

    private LoginByCertificate(CertificateAuthority.Identity server, Path directory, int port) {
        this.server = server;
        this.directory = directory;
        this.port = port;
    }

    private static LoginByCertificate make() {
        try {
            // The broker may run as another user.
            Path directory = Files.createTempDirectory("login-by-certificate");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            CertificateAuthority authority = CertificateAuthority.of("login");
            CertificateAuthority.Identity server = authority.server("localhost");
            server.certificatePem(directory.resolve("server.pem"));
            server.keyPem(directory.resolve("server.key"));
            authority.pem(directory.resolve("authority.pem"));
            authority.trustStore(directory.resolve("trust.p12"));
            for (String user : new String[] {ThrowawayBroker.USER, "stranger"}) {
                authority.client(user).keyStore(directory.resolve(user + ".p12"));
            }
            return new LoginByCertificate(server, directory, FreePorts.one());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds the port to the options of a broker, whose other port takes passwords as before. */
    static BrokerOptions offered(BrokerOptions options) {
        return options.withProperty("listeners.ssl.1", "127.0.0.1:" + SHARED.port)
            .withProperty("ssl_options.cacertfile", SHARED.path("authority.pem"))
            .withProperty("ssl_options.certfile", SHARED.path("server.pem")).withProperty("ssl_options.keyfile", SHARED.path("server.key"))
            .withProperty("ssl_options.verify", "verify_peer").withProperty("ssl_options.fail_if_no_peer_cert", "true")
            .withProperty("ssl_cert_login_from", "common_name").withProperty("auth_mechanisms.1", "PLAIN")
            .withProperty("auth_mechanisms.2", "EXTERNAL");
    }

    /** Returns settings that log in by the certificate of a client, {@link ThrowawayBroker#USER} or {@code stranger}. */
    static ConnectionSettings settings(String client, String transport) {
        return new ConnectionSettings("amqp091s://localhost:" + SHARED.port, null, null, null, Duration.ofSeconds(40),
            Map.of("sasl.mechanism", "EXTERNAL", "transport", transport, "trust-store", SHARED.path("trust.p12"), "trust-store-password",
                CertificateAuthority.PASSWORD, "key-store", SHARED.path(client + ".p12"), "key-store-password",
                CertificateAuthority.PASSWORD));
    }

    /** Opens a port in front of the one for passwords, at which the broker sees no certificate. */
    static Listener front(ThrowawayBroker broker) throws Exception {
        return broker.listener(SHARED.server, null);
    }

    private String path(String file) {
        return directory.resolve(file).toString();
    }
}
