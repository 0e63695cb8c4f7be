package io.brokermeter.driver.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;
import jakarta.jms.Connection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Properties that the driver sets because older RabbitMQ clients accept all certificates by default. */
class FactoryVerificationTest {

    /** A factory with the TLS properties of RabbitMQ's client. */
    public static class Trusting extends StubFactory {

        boolean authority;
        boolean host;

        public void setUri(String uri) {}

        public void setSsl(boolean ssl) {}

        public void setUseDefaultSslContext(boolean use) {
            authority = use;
        }

        public void setHostnameVerification(boolean verify) {
            host = verify;
        }

        @Override
        public Connection createConnection() {
            throw new UnsupportedOperationException();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "amqps://h:1, '', true, true", "AMQPS://h:1, '', true, true", "amqp://h:1, '', false, false",
        "jms:, factory.uri=amqps://h:1, true, true", "jms:, factory.ssl=true, true, true", "jms:, factory.uri=amqp://h:1, false, false",
        "amqps://h:1, factory.hostnameVerification=false, true, false", "amqps://h:1, factory.useDefaultSslContext=false, false, true"})
    void verifiesUnlessToldOtherwise(String url, String parameter, boolean authority, boolean host) {
        Map<String, String> parameters = new HashMap<>(Map.of("factory", Trusting.class.getName()));
        if (!parameter.isEmpty()) {
            parameters.put(parameter.replaceAll("=.*", ""), parameter.replaceAll(".*=", ""));
        }
        FactorySettings factory =
            FactorySettings.of(new JakartaDriver(), new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1), parameters));
        assertThat(factory.make()).isInstanceOfSatisfying(Trusting.class, made -> {
            assertThat(made.authority).isEqualTo(authority);
            assertThat(made.host).isEqualTo(host);
        });
    }
}
