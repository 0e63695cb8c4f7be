package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The TLS of the NATS server itself, which begins after its first word, and TLS that begins before. */
class NatsTlsContractTest extends TlsContract {

    NatsTlsContractTest() {
        super(new OwnTls());
    }

    /** Each listener is a server of its own with the certificate. */
    private static final class OwnTls extends BrokerUnderTest {

        @Override
        public Driver driver() {
            return new NatsDriver();
        }

        @Override
        public ConnectionSettings settings() {
            throw new UnsupportedOperationException("Only with TLS.");
        }

        @Override
        public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
            // the server may run as another user
            Path files = Files.createTempDirectory(directory, "nats");
            for (Path path : new Path[] {directory, files}) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            String tls = "cert_file: \"" + identity.certificatePem(files.resolve("server.pem")) + "\", key_file: \""
                + identity.keyPem(files.resolve("server.key")) + "\", timeout: 10";
            if (clients != null) {
                tls += ", verify: true, ca_file: \"" + clients.pem(files.resolve("clients.pem")) + "\"";
            }
            Broker broker = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults().withProperty("tls", "{" + tls + "}"));
            return new Listener() {

                @Override
                public int port() {
                    return broker.port();
                }

                @Override
                public void close() {
                    broker.close();
                }
            };
        }

        @Override
        public ConnectionSettings settings(String host, int port, Wish wish) {
            return to("tls://" + host + ":" + port, 10, wish.parameters());
        }
    }

    private static ConnectionSettings to(String url, int seconds, Map<String, String> parameters) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(seconds), parameters);
    }

    private void refuses(String url, int seconds, Map<String, String> parameters, String... words) {
        assertThatThrownBy(() -> driver().connect(to(url, seconds, parameters), new Life())).isInstanceOf(DriverException.class)
            .hasMessageContaining(url.replaceAll(".*[/,]", "")).hasMessageContainingAll(words);
    }

    @Test
    void saysWhichSideSpeaksTls() throws Exception {
        try (Broker plain = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults())) {
            refuses("tls://localhost:" + plain.port(), 10, Map.of(), "does not speak TLS", "nats://");
            refuses("tls://localhost:" + plain.port(), 10, Map.of("tls-first", "true"), "does not speak TLS");
        }
        try (Listener encrypted = listener(CertificateAuthority.of("somebody").server("localhost"), null)) {
            refuses("nats://localhost:" + encrypted.port(), 10, Map.of(), "wants TLS", "tls://");
        }
        for (String parameter : new String[] {"trust-all", "tls-first"}) {
            assertThatThrownBy(() -> driver().check(to("nats://localhost", 10, Map.of(parameter, "true"))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(parameter).hasMessageContaining("tls://");
        }
    }

    @Test
    void speaksTlsFirstWhenAskedTo() throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("somebody");
        Map<String, String> parameters = new HashMap<>(new Wish(authority.trustStore(directory.resolve("first.p12")), null, false, false)
            .parameters());
        try (Broker plain = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults());
                Listener first = Listener.of(new TlsFront(authority.server("localhost"), null, plain.port()));
                Listener elsewhere = Listener.of(new TlsFront(authority.server("elsewhere.example"), null, plain.port()))) {
            refuses("tls://localhost:" + first.port(), 1, parameters, "tls-first");
            parameters.put("tls-first", "true");
            refuses("tls://localhost:" + elsewhere.port(), 10, parameters, "is for another host");
            try (var connection = driver().connect(to("tls://localhost:" + first.port(), 10, parameters), new Life())) {
                assertThat(connection.broker()).contains("NATS");
            }
        }
    }

    /** With several servers the client is the only one that looks at certificates. */
    @Test
    void checksEachOfSeveralServers() throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("somebody");
        Map<String, String> parameters = new Wish(authority.trustStore(directory.resolve("several.p12")), null, false, false).parameters();
        try (Listener wrong = listener(authority.server("elsewhere.example"), null);
                Listener right = listener(authority.server("localhost"), null)) {
            refuses("tls://localhost:" + wrong.port() + ",localhost:" + wrong.port(), 10, parameters, "is for another host");
            try (var connection = driver().connect(
                    to("tls://localhost:" + wrong.port() + ",localhost:" + right.port(), 10, parameters), new Life())) {
                assertThat(connection.broker()).contains("NATS");
            }
        }
    }
}
