package io.brokermeter.driver.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Secret;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CoreContractTest extends DriverContract {

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
        return new CoreDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return withUrl(broker.url());
    }

    private static ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, USER, PASSWORD, null, TIMEOUT);
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        // The broker keeps the session of a broken connection for this long, in case its client comes back.
        return withUrl("tcp://" + host + ":" + port + "?connectionTTL=3000&clientFailureCheckPeriod=1000");
    }

    @Override
    protected boolean tellsMissingCredit() {
        return true;
    }

    @Override
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(withUrl("tcp://" + host + ":" + port + "?reconnectAttempts=-1&retryInterval=100"));
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(new ConnectionSettings(broker.url(), USER, Secret.of("battery staple"), null, TIMEOUT));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings(broker.url() + "?sslEnabled=true&trustAll=true", USER, PASSWORD, null,
            Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl("tcp://" + host + ":" + port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("tcp://localhost:1?noSuchSetting=1"));
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

    private static final class ArtemisVictim implements Victim {

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
            return withUrl(running.url() + "?reconnectAttempts=-1&retryInterval=100");
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
        try (var factory = new ActiveMQConnectionFactory(broker.url());
                var context = factory.createContext(USER, PASSWORD.reveal())) {
            context.createProducer().send(context.createQueue(destination.name()), "a text of somebody else");
        }
        return true;
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).matches("ActiveMQ Artemis \\d+\\.\\d+.*");
    }

    @Test
    void namesThePathThatReallyRuns() throws Exception {
        assertThat(connect().client()).matches("artemis-jakarta-client \\d+\\.\\d+.* with brokermeter's own transport");
        var life = new Life();
        assertThat(connect(withUrl(broker.url() + "?transport=client"), life).client())
            .matches("artemis-jakarta-client \\d+\\.\\d+.* with its own transport .*");
        assertThat(life.notices()).noneMatch(notice -> notice.contains("transport"));
        assertThat(connect(withUrl(broker.url() + "?batchDelay=1"), life).client()).contains("with its own transport");
        assertThat(life.notices()).anyMatch(notice -> notice.contains("because of the parameter batchDelay"));
        assertThat(driver().effectiveUrl(withUrl(broker.url() + "?transport=client"))).doesNotContain("transport=");
        assertThatThrownBy(() -> driver().check(withUrl("tcp://h:1?sslEnabled=true&transport=own")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("transport=own").hasMessageContaining("TLS");
        assertThatThrownBy(() -> driver().check(withUrl("tcp://h:1?transport=pigeon"))).hasMessageContaining("own or client");
    }

    @Test
    void setsItsWindowsAndSaysSo() throws Exception {
        var life = new Life();
        connect(settings(), life);
        assertThat(life.notices()).singleElement().asString().contains("confirmationWindowSize=32768",
            "producerWindowSize=1048576");
        assertThat(driver().effectiveUrl(settings())).contains("confirmationWindowSize=32768", "producerWindowSize=1048576");
    }

    @Test
    void leavesAUrlAloneThatSetsOneOfTheWindows() throws Exception {
        var life = new Life();
        var settings = withUrl(broker.url() + "?confirmationWindowSize=20000");
        connect(settings, life);
        assertThat(life.notices()).isEmpty();
        assertThat(driver().effectiveUrl(settings)).endsWith("?confirmationWindowSize=20000");
        settings = withUrl(broker.url() + "?producerWindowSize=65536");
        connect(settings, life);
        assertThat(driver().effectiveUrl(settings)).endsWith("?producerWindowSize=65536");
        assertThat(life.notices()).singleElement().asString().contains("no more than that the client has written");
    }

    @Test
    void reachesAQueueByItsFullyQualifiedName() throws Exception {
        var connection = connect();
        var plainName = queue();
        var queue = new Destination(Destination.Kind.QUEUE, plainName.name() + "::" + plainName.name() + ".q");
        assertThat(connection.declare(queue)).isTrue();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 5, "m");
        deliveries.await(5);
        consumer.close();
        assertThat(connection.depth(queue)).hasValue(0);
        connection.delete(queue);
        assertThat(connection.declare(queue)).isTrue();
        connection.delete(queue);
    }
}
