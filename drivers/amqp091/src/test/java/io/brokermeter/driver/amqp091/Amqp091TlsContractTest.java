package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Amqp091TlsContractTest extends TlsContract {

    Amqp091TlsContractTest() {
        super(Amqp091Broker.rabbitMq("own"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssl.verify.hostname=false", "ssl.validate.server.certificate=false", "verify-host=false"})
    void readsTheNamesOfTheLibrary(String leave) throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("another");
        String trust = authority.trustStore(directory.resolve(leave + ".p12")).toString();
        try (Listener listener = listener(authority.server("elsewhere.example"), null)) {
            String url = "amqp091s://localhost:" + listener.port() + "?ssl.trust.store=" + trust + "&ssl.trust.store.password="
                + CertificateAuthority.PASSWORD;
            ConnectionSettings careful =
                new ConnectionSettings(url, Amqp091Broker.USER, Amqp091Broker.PASSWORD, null, Duration.ofSeconds(40));
            assertThatThrownBy(() -> driver().connect(careful, new ConnectionLog()))
                .hasMessageContaining("is for another host (elsewhere.example)");
            driver().connect(careful.withUrl(url + "&" + leave), new ConnectionLog()).close();
        }
    }
}
