package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.TlsContract;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RocketMqTlsContractTest extends TlsContract {

    private static Broker broker;
    /** The port of the front before the broker, by that of the one before the name server. */
    private final Map<Integer, Integer> fronts = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.start(BrokerName.parse("rocketmq"), BrokerOptions.defaults().withHeap("400m")
            .withStartLimit(Duration.ofMinutes(2)).withProperty("waitTimeMillsInSendQueue", "5000"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new RocketMqDriver();
    }

    @Override
    protected Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        int nameServer = Integer.parseInt(broker.url().replaceAll(".*:", ""));
        TlsFront first = new TlsFront(identity, clients, nameServer);
        TlsFront second = new TlsFront(identity, clients, broker.port());
        fronts.put(first.port(), second.port());
        return new Listener() {

            @Override
            public int port() {
                return first.port();
            }

            @Override
            public void close() {
                first.close();
                second.close();
            }
        };
    }

    @Override
    protected ConnectionSettings settings(String host, int port, Wish wish) {
        Map<String, String> parameters = new HashMap<>(wish.parameters());
        parameters.put("useTLS", "true");
        parameters.put("broker-address", "127.0.0.1:" + broker.port() + "=" + host + ":" + fronts.get(port));
        return new ConnectionSettings("rocketmq://" + host + ":" + port, null, null, null, Duration.ofSeconds(10), parameters);
    }
}
