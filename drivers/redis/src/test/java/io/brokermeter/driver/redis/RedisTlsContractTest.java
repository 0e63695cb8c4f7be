package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The TLS of Redis itself. */
class RedisTlsContractTest extends TlsContract {

    RedisTlsContractTest() {
        super(new OwnTls());
    }

    /** Each listener is a server of its own with the certificate. */
    private static final class OwnTls extends BrokerUnderTest {

        @Override
        public Driver driver() {
            return new RedisDriver();
        }

        @Override
        public ConnectionSettings settings() {
            throw new UnsupportedOperationException("Only with TLS.");
        }

        @Override
        public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
            // Redis may run as another user
            Path files = Files.createTempDirectory(directory, "redis");
            for (Path path : new Path[] {directory, files}) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            BrokerOptions options = BrokerOptions.defaults().withProperty("tls-port", Integer.toString(port))
                .withProperty("tls-cert-file", identity.certificatePem(files.resolve("server.pem")).toString())
                .withProperty("tls-key-file", identity.keyPem(files.resolve("server.key")).toString())
                .withProperty("tls-auth-clients", clients == null ? "no" : "yes");
            if (clients != null) {
                options = options.withProperty("tls-ca-cert-file", clients.pem(files.resolve("clients.pem")).toString());
            }
            Broker broker = Broker.start(BrokerName.parse("redis"), options);
            return new Listener() {

                @Override
                public int port() {
                    return port;
                }

                @Override
                public void close() {
                    broker.close();
                }
            };
        }

        @Override
        public ConnectionSettings settings(String host, int port, Wish wish) {
            return to("rediss://" + host + ":" + port, 10, wish.parameters());
        }
    }

    private static ConnectionSettings to(String url, int seconds, Map<String, String> parameters) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(seconds), parameters);
    }

    private void refuses(String url, int seconds, String... words) {
        assertThatThrownBy(() -> driver().connect(to(url, seconds, Map.of()), new Life())).isInstanceOf(DriverException.class)
            .hasMessageContaining(url.replaceAll(".*/", "")).hasMessageContainingAll(words);
    }

    @Test
    void saysWhichSideSpeaksTls() throws Exception {
        try (Broker plain = Broker.start(BrokerName.parse("redis"), BrokerOptions.defaults())) {
            // it waits for the end of a line in the client's greeting
            refuses("rediss://localhost:" + plain.port(), 1, "TLS");
        }
        try (Listener encrypted = listener(CertificateAuthority.of("somebody").server("localhost"), null)) {
            refuses("redis://localhost:" + encrypted.port(), 10, "TLS", "rediss://");
        }
        assertThatThrownBy(() -> driver().check(to("redis://localhost", 10, Map.of("trust-all", "true"))))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("rediss://");
    }
}
