package io.brokermeter.driver.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

/** A front with TLS, whose address a listener of the broker advertises. */
class KafkaTlsContractTest extends TlsContract {

    private static Broker broker;
    private static int behind;
    private static int front;

    @BeforeAll
    static void start() throws Exception {
        int[] ports = freePorts(4);
        behind = ports[2];
        front = ports[3];
        broker = Broker.start(BrokerName.parse("kafka"), BrokerOptions.defaults().withHeap("400m").withPort(ports[0])
            .withProperty("listeners", "CLIENTS://127.0.0.1:" + ports[0] + ",CONTROLLER://127.0.0.1:" + ports[1]
                + ",FRONT://127.0.0.1:" + behind)
            .withProperty("advertised.listeners", "CLIENTS://127.0.0.1:" + ports[0] + ",FRONT://localhost:" + front)
            .withProperty("controller.quorum.voters", "1@127.0.0.1:" + ports[1])
            .withProperty("listener.security.protocol.map", "CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT,FRONT:PLAINTEXT"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static int[] freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        int[] ports = sockets.stream().mapToInt(ServerSocket::getLocalPort).toArray();
        for (var socket : sockets) {
            socket.close();
        }
        return ports;
    }

    @Override
    protected Driver driver() {
        return new KafkaDriver();
    }

    @Override
    protected Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        return listener(new TlsFront(identity, clients, behind, front));
    }

    /** Kafka's client has no such setting. */
    @Override
    protected boolean canTrustAll() {
        return false;
    }

    @Override
    protected ConnectionSettings settings(String host, int port, Wish wish) {
        Map<String, String> parameters = new HashMap<>();
        parameters.put("security.protocol", "SSL");
        if (wish.trustStore() != null) {
            parameters.put("ssl.truststore.location", wish.trustStore().toString());
            parameters.put("ssl.truststore.password", CertificateAuthority.PASSWORD);
        }
        if (wish.keyStore() != null) {
            parameters.put("ssl.keystore.location", wish.keyStore().toString());
            parameters.put("ssl.keystore.password", CertificateAuthority.PASSWORD);
        }
        if (wish.anyHost()) {
            parameters.put("ssl.endpoint.identification.algorithm", "");
        }
        return new ConnectionSettings("kafka://" + host + ":" + port, null, null, null, Duration.ofSeconds(10), parameters);
    }
}
