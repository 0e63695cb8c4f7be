package io.brokermeter.driver.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Secret;
import jakarta.jms.JMSContext;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AmqpContractTest extends DriverContract {

    private static final String USER = "meter";
    private static final Secret PASSWORD = Secret.of("correct horse");
    /** Of every request; no test waits for it, so it may be as long as a burdened machine needs. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("artemis"),
            BrokerOptions.defaults().withHeap("400m").withLogin(USER, PASSWORD).withForbidden("forbidden")
                .withProperty("addressSettings.\"full.#\".maxSizeMessages", "50")
                .withProperty("addressSettings.\"full.#\".addressFullMessagePolicy", "FAIL"));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new AmqpDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return withUrl(broker.url());
    }

    /** Settings for a URL; the same tests run over the other transport with another one. */
    protected ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, USER, PASSWORD, null, TIMEOUT);
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return withUrl("amqp://" + host + ":" + port);
    }

    /** A delivery that ended with its link was, for the protocol, never tried. */
    @Override
    protected boolean flagsRedeliveryAfterABrokenConnection() {
        return false;
    }

    @Override
    protected boolean tellsMissingCredit() {
        return true;
    }

    @Override
    protected boolean deletes() {
        return false;
    }

    @Override
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(withUrl("failover:(amqp://" + host + ":" + port
            + ")?failover.initialReconnectDelay=50&failover.reconnectDelay=100"));
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(new ConnectionSettings(
            withUrl(broker.url()).url(), USER, Secret.of("battery staple"), null, TIMEOUT));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings("amqps://127.0.0.1:" + broker.port()
            + "?transport.trustAll=true&transport.verifyHost=false", USER, PASSWORD, null,
            Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl("amqp://" + host + ":" + port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("amqp://localhost:1?jms.noSuchSetting=1"));
    }

    @Override
    protected Optional<Destination> forbidden() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "forbidden.queue"));
    }

    @Override
    protected Optional<Destination> refusing() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "full." + UUID.randomUUID()));
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        return Optional.of(new ArtemisVictim(Files.createTempDirectory("contract")));
    }

    private final class ArtemisVictim implements Victim {

        private final Path directory;
        private Broker running;

        ArtemisVictim(Path directory) throws Exception {
            this.directory = directory;
            this.running = start(0);
        }

        private Broker start(int port) throws Exception {
            return Broker.start(BrokerName.parse("artemis"),
                BrokerOptions.defaults().withHeap("300m").withPort(port).withDirectory(directory));
        }

        @Override
        public ConnectionSettings settings() {
            return withUrl(running.url());
        }

        @Override
        public ConnectionSettings reconnecting() {
            return withUrl("failover:(amqp://127.0.0.1:" + running.port()
                + ")?failover.initialReconnectDelay=50&failover.reconnectDelay=100");
        }

        @Override
        public void kill() {
            running.kill();
        }

        @Override
        public boolean startAgain() throws Exception {
            running = start(running.port());
            return true;
        }

        @Override
        public void close() {
            running.close();
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    protected boolean sendForeign(Destination destination) throws Exception {
        var factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
        try (var context = factory.createContext(USER, PASSWORD.reveal())) {
            context.createProducer().send(context.createQueue(destination.name()), "a text of somebody else");
        }
        return true;
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        var connection = connect();
        connection.declare(queue());
        assertThat(connection.broker()).matches("apache-activemq-artemis \\d+\\.\\d+.*");
    }

    /** What carries a connection that asks for nothing special. */
    protected String carrier() {
        return "brokermeter's own AMQP 1.0 path \\(proton-j \\d+\\.\\d+.* codec\\)";
    }

    @Test
    void namesThePathThatReallyRuns() throws Exception {
        var life = new Life();
        var connection = connect(settings(), life);
        var queue = queue();
        connection.declare(queue);
        connection.producer(queue, plain(), new Sends());
        assertThat(connection.client()).matches(carrier());
        assertThat(life.notices()).isEmpty();
        connection.consumer(queue, consumer(AckMode.TRANSACTED, 1), new Deliveries());
        assertThat(connection.client()).matches(".*qpid-jms-client \\d+\\.\\d+.*");
        assertThat(life.notices()).hasSize(connection.client().startsWith("qpid") ? 0 : 1)
            .allMatch(notice -> notice.contains("qpid-jms-client") && notice.contains("transactions"));
    }

    @Test
    void saysWhatForcesTheClientLibrary() throws Exception {
        var life = new Life();
        var settings = withUrl("amqp://127.0.0.1:" + broker.port()).withClientId("me");
        var connection = connect(settings, life);
        assertThat(connection.client()).matches("qpid-jms-client \\d+\\.\\d+.*");
        assertThat(life.notices()).hasSize(settings.url().contains("transport=") ? 0 : 1)
            .allMatch(notice -> notice.contains("qpid-jms-client") && notice.contains("because of a client id"));
        assertThatThrownBy(() -> driver().check(
            new ConnectionSettings("amqps://127.0.0.1:1?transport=own", null, null, null, TIMEOUT)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("transport=own").hasMessageContaining("TLS");
    }

    @Test
    void flagsWhatAnotherConsumerGaveBack() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 3, "m");
        sends.awaitConfirmed(3);
        var factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
        try (var context = factory.createContext(USER, PASSWORD.reveal(), JMSContext.SESSION_TRANSACTED);
                var consumer = context.createConsumer(context.createQueue(queue.name()))) {
            for (int i = 0; i < 3; i++) {
                assertThat(consumer.receive(10_000)).isNotNull();
            }
            context.rollback();
        }
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        deliveries.await(3);
        assertThat(deliveries.all()).allMatch(Deliveries.Delivery::redelivered);
    }

    @Test
    void endsTheSearchForABrokerWithTheConnectTimeout() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        var settings = new ConnectionSettings("failover:(amqp://127.0.0.1:" + port + ")", null, null, null,
            Duration.ofSeconds(2));
        assertThatThrownBy(() -> connect(settings)).message().contains("Nobody listens");
        Await.until(() -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("brokermeter connecting")), () -> "the search goes on");
    }
}
