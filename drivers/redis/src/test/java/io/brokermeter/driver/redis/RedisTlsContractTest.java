package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Acceptor;
import io.brokermeter.contract.brokers.OwnTls;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

/** TLS of the Redis server itself. */
class RedisTlsContractTest extends TlsContract {

    RedisTlsContractTest() {
        super(new OwnTls(new RedisDriver(), "redis", "rediss", () -> directory, (port, certificate, key, clients) -> {
            var options = BrokerOptions.defaults().withProperty("tls-port", Integer.toString(port))
                .withProperty("tls-cert-file", certificate.toString()).withProperty("tls-key-file", key.toString())
                .withProperty("tls-auth-clients", clients == null ? "no" : "yes");
            return clients == null ? options : options.withProperty("tls-ca-cert-file", clients.toString());
        }));
    }

    /** The reset comes later than the driver waits for it when it repeats the handshake to find out the reason of the failure. */
    @Test
    void namesTheServerThatResetsTheConnectionVeryLate() throws Exception {
        namesTheServerThatResets(Duration.ofSeconds(4));
    }

    /** A server that refuses the certificate of the client may do so while the client still writes. */
    @Test
    void namesTheServerThatResetsTheHandshake() throws Exception {
        try (Acceptor resetting = new Acceptor(0, socket -> {
            try (socket) {
                socket.getInputStream().read(new byte[100]);
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        })) {
            refuses("rediss://localhost:" + resetting.port(), 60, Map.of(), "during the TLS handshake", "certificate of this side");
        }
    }

    @Test
    void saysWhichSideSpeaksTls() throws Exception {
        try (Broker plain = Broker.start(BrokerName.parse("redis"), BrokerOptions.defaults())) {
            // the server waits for a line end in what it receives
            refuses("rediss://localhost:" + plain.port(), 3, Map.of(), "TLS");
        }
        try (Listener encrypted = listener(CertificateAuthority.of("somebody").server("localhost"), null)) {
            refuses("redis://localhost:" + encrypted.port(), 60, Map.of(), "TLS", "rediss://");
        }
        assertThatThrownBy(() -> driver().check(to("redis://localhost", 1, Map.of("trust-all", "true"))))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("rediss://");
    }
}
