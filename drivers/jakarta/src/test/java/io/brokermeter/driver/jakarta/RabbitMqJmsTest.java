package io.brokermeter.driver.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver with RabbitMQ's JMS client, against the RabbitMQ that is installed on this machine. */
@Tag("slow")
class RabbitMqJmsTest {

    private static Broker broker;

    private final ConnectionLog log = new ConnectionLog();

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("rabbitmq"), BrokerOptions.defaults().withStartLimit(Duration.ofSeconds(120)));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    private Connection connect(String... more) throws Exception {
        return connectTo(broker.url(), more);
    }

    private Connection connectTo(String url, String... more) throws Exception {
        ConnectionSettings settings = new ConnectionSettings(url, null, null, null, Duration.ofSeconds(60),
            Map.of("client-jars", Jars.all(), "factory", "com.rabbitmq.jms.admin.RMQConnectionFactory"));
        for (int i = 0; i < more.length; i += 2) {
            settings = settings.withProperty(more[i], more[i + 1]);
        }
        new JakartaDriver().check(settings);
        return new JakartaDriver().connect(settings, log);
    }

    private static Destination fresh(Destination.Kind kind) {
        return new Destination(kind, "jms." + UUID.randomUUID());
    }

    private static ProducerSettings producer(boolean transacted) {
        return ProducerSettings.of(its -> {
            its.persistent = true;
            its.messageIds = true;
            its.timestamps = true;
            its.transacted = transacted;
            its.maxPending = 100;
        });
    }

    private static ConsumerSettings consumer(AckMode mode, int batch) {
        return ConsumerSettings.of(its -> { its.ackMode = mode; its.batch = batch; its.mayBlock = true; });
    }

    private static void send(Producer producer, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            producer.send(new Payload(("m" + i).getBytes(StandardCharsets.UTF_8)), i);
        }
        producer.flush();
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    @Test
    void deliversThroughAQueueInEachAckMode() throws Exception {
        try (Connection connection = connect()) {
            for (AckMode mode : AckMode.values()) {
                Destination queue = fresh(Destination.Kind.QUEUE);
                connection.declare(queue);
                Deliveries deliveries = new Deliveries();
                var consumer = connection.consumer(queue, consumer(mode, 10), deliveries);
                Sends sends = new Sends();
                Producer producer = connection.producer(queue, producer(false), sends);
                send(producer, 25);
                deliveries.await(25);
                sends.awaitConfirmed(25);
                producer.close();
                consumer.close();
                assertThat(deliveries.texts()).isEqualTo(numbered(25));
                assertThat(deliveries.failures()).isEmpty();
            }
        }
        assertThat(log.notices()).singleElement().asString().contains("RabbitMQ");
    }

    @Test
    void copiesATopicAndCommitsATransaction() throws Exception {
        try (Connection connection = connect()) {
            Destination topic = fresh(Destination.Kind.TOPIC);
            Deliveries one = new Deliveries();
            Deliveries two = new Deliveries();
            connection.consumer(topic, consumer(AckMode.AUTO, 1), one);
            connection.consumer(topic, consumer(AckMode.AUTO, 1), two);
            Sends sends = new Sends();
            Producer producer = connection.producer(topic, producer(true), sends);
            send(producer, 10);
            producer.commit();
            sends.awaitConfirmed(10);
            one.await(10);
            two.await(10);
        }
    }

    @Test
    void saysWhatTheProviderRefuses() {
        assertThatThrownBy(() -> connect("factory.port", "x")).hasMessageContaining("factory.port");
    }

    @Test
    void trustsNoUnknownAuthority() throws Exception {
        CertificateAuthority stranger = CertificateAuthority.of("a stranger");
        try (TlsFront front = new TlsFront(stranger.server("localhost"), null, broker.port())) {
            String place = "localhost:" + front.port();
            assertThatThrownBy(() -> connectTo("amqps://" + place)).hasMessageContainingAll("TLS was refused", "certification path");
            assertThatThrownBy(() -> connectTo("jms:", "factory.uri", "amqps://" + place)).hasMessageContaining("TLS was refused");
            assertThatThrownBy(() -> connectTo("jms:", "factory.host", "localhost", "factory.port", Integer.toString(front.port()),
                "factory.ssl", "true")).hasMessageContaining("TLS was refused");
        }
    }

    @Test
    void wantsTheCertificateOfTheHost(@TempDir Path directory) throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("brokermeter tests");
        SSLContext before = SSLContext.getDefault();
        SSLContext.setDefault(trusting(authority.trustStore(directory.resolve("trust.p12"))));
        try (TlsFront right = new TlsFront(authority.server("localhost"), null, broker.port());
                TlsFront wrong = new TlsFront(authority.server("elsewhere.example"), null, broker.port())) {
            connectTo("amqps://localhost:" + right.port()).close();
            assertThatThrownBy(() -> connectTo("amqps://localhost:" + wrong.port()))
                .hasMessageContainingAll("TLS was refused", "localhost");
        } finally {
            SSLContext.setDefault(before);
        }
    }

    private static SSLContext trusting(Path store) throws Exception {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(KeyStore.getInstance(store.toFile(), CertificateAuthority.PASSWORD.toCharArray()));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
