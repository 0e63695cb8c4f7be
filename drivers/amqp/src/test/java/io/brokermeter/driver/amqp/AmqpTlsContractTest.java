package io.brokermeter.driver.amqp;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class AmqpTlsContractTest extends TlsContract {

    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.start(BrokerName.parse("artemis"), BrokerOptions.defaults().withHeap("300m"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new AmqpDriver();
    }

    @Override
    protected Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        return front(identity, clients, broker.port());
    }

    @Override
    protected ConnectionSettings settings(String host, int port, Wish wish) {
        Map<String, String> parameters = new HashMap<>();
        if (wish.trustStore() != null) {
            parameters.put("transport.trustStoreLocation", wish.trustStore().toString());
            parameters.put("transport.trustStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.keyStore() != null) {
            parameters.put("transport.keyStoreLocation", wish.keyStore().toString());
            parameters.put("transport.keyStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.anyHost() || wish.trustAll()) {
            parameters.put("transport.verifyHost", "false");
        }
        if (wish.trustAll()) {
            parameters.put("transport.trustAll", "true");
        }
        return new ConnectionSettings("amqps://" + host + ":" + port, null, null, null, Duration.ofSeconds(10),
            parameters);
    }
}
