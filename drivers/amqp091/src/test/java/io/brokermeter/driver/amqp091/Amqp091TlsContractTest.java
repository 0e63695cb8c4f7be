package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Amqp091TlsContractTest extends TlsContract {

    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.start(BrokerName.parse("rabbitmq"), BrokerOptions.defaults());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssl.verify.hostname=false", "ssl.validate.server.certificate=false", "verify-host=false"})
    void readsTheNamesOfTheLibrary(String leave) throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("another");
        String trust = authority.trustStore(directory.resolve("another.p12")).toString();
        try (Listener listener = listener(authority.server("elsewhere.example"), null)) {
            String url = "amqp091s://localhost:" + listener.port() + "?ssl.trust.store=" + trust + "&ssl.trust.store.password="
                + CertificateAuthority.PASSWORD;
            ConnectionSettings careful = new ConnectionSettings(url, null, null, null, Duration.ofSeconds(10));
            assertThatThrownBy(() -> driver().connect(careful, new Life())).hasMessageContaining("is for another host (elsewhere.example)");
            driver().connect(careful.withUrl(url + "&" + leave), new Life()).close();
        }
    }

    @Override
    protected Driver driver() {
        return new Amqp091Driver();
    }

    @Override
    protected Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        return front(identity, clients, broker.port());
    }

    @Override
    protected ConnectionSettings settings(String host, int port, Wish wish) {
        return new ConnectionSettings("amqp091s://" + host + ":" + port, null, null, null, Duration.ofSeconds(10),
            wish.parameters());
    }
}
