package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;

import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

/** The TLS contract with RabbitMQ's client, as selected by a parameter. */
class RabbitMqClientTlsContractTest extends TlsContract {

    RabbitMqClientTlsContractTest() {
        super(Amqp091Broker.rabbitMq("client"));
    }

    /** The client looks for the host of the URL in the certificate, and takes no other name. */
    @Test
    @Override
    protected void theCertificateMustCarryTheServerName() {
        var settings = to("amqp091s://localhost?server-name=elsewhere.example", 1, Map.of());
        driver().check(settings);
        assertThatThrownBy(() -> driver().check(settings.withProperty("transport", "client"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("server-name cannot be used with RabbitMQ's Java client (transport=client)");
        assertThatThrownBy(() -> driver().check(settings.withProperty("automatic-recovery", "true")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("(automatic-recovery)");
    }
}
