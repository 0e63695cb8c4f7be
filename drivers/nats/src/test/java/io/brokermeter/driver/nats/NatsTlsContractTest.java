package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.brokers.OwnTls;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.contract.tls.Wish;
import org.junit.jupiter.api.Test;

/** TLS of the NATS server itself, which begins after the greeting of the server, and TLS that begins before it. */
class NatsTlsContractTest extends TlsContract {

    NatsTlsContractTest() {
        super(new OwnTls(new NatsDriver(), "nats", "tls", () -> directory,
            (port, certificate, key, clients) -> BrokerOptions.defaults().withPort(port).withProperty("tls",
                "{cert_file: \"" + certificate + "\", key_file: \"" + key
                    + "\", timeout: 20" + (clients == null ? "" : ", verify: true, ca_file: \"" + clients + "\"") + "}"))
            .without(BrokerTrait.TLS_FIRST));
    }

    @Test
    void saysWhichSideSpeaksTls() throws Exception {
        try (Broker plain = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults())) {
            refuses("tls://localhost:" + plain.port(), 60, Map.of(), "does not speak TLS", "nats://");
            refuses("tls://localhost:" + plain.port(), 60, Map.of("tls-first", "true"), "does not speak TLS");
        }
        try (Listener encrypted = listener(CertificateAuthority.of("somebody").server("localhost"), null)) {
            refuses("nats://localhost:" + encrypted.port(), 60, Map.of(), "wants TLS", "tls://");
        }
        for (String parameter : new String[] {"trust-all", "tls-first"}) {
            assertThatThrownBy(() -> driver().check(to("nats://localhost", 60, Map.of(parameter, "true"))))
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
            refuses("tls://localhost:" + first.port(), 3, parameters, "tls-first");
            parameters.put("tls-first", "true");
            refuses("tls://localhost:" + elsewhere.port(), 60, parameters, "is for another host");
            try (var connection = driver().connect(to("tls://localhost:" + first.port(), 60, parameters), new ConnectionLog())) {
                assertThat(connection.broker()).contains("NATS");
            }
        }
    }

    /** With several servers, certificates are verified by the client library only. */
    @Test
    void checksEachOfSeveralServers() throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("somebody");
        Map<String, String> parameters = new Wish(authority.trustStore(directory.resolve("several.p12")), null, false, false).parameters();
        try (Listener wrong = listener(authority.server("elsewhere.example"), null);
                Listener right = listener(authority.server("localhost"), null)) {
            refuses("tls://localhost:" + wrong.port() + ",localhost:" + wrong.port(), 60, parameters, "is for another host");
            try (var connection = driver().connect(
                to("tls://localhost:" + wrong.port() + ",localhost:" + right.port(), 60, parameters), new ConnectionLog())) {
                assertThat(connection.broker()).contains("NATS");
            }
        }
    }
}
