package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.Polling;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.Settlement;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KafkaContractTest extends DriverContract {

    private static final String USER = "meter";
    private static final Secret PASSWORD = Secret.of("correct \"horse");
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private static Broker broker;
    /** Where a second listener listens, and where it says that it does: clients come to it through the wire alone. */
    private static int behindTheWire;
    private static int atTheWire;

    @BeforeAll
    static void startBroker() throws Exception {
        int[] ports = freePorts(4);
        behindTheWire = ports[2];
        atTheWire = ports[3];
        String plain = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"meter\" "
            + "password=\"correct \\\"horse\" user_meter=\"correct \\\"horse\";";
        broker = Broker.start(BrokerName.parse("kafka"), BrokerOptions.defaults().withHeap("400m").withPort(ports[0])
            .withLogin(USER, PASSWORD)
            .withProperty("listeners", "CLIENTS://127.0.0.1:" + ports[0] + ",CONTROLLER://127.0.0.1:" + ports[1]
                + ",WIRE://127.0.0.1:" + behindTheWire)
            .withProperty("advertised.listeners", "CLIENTS://127.0.0.1:" + ports[0] + ",WIRE://127.0.0.1:" + atTheWire)
            .withProperty("controller.quorum.voters", "1@127.0.0.1:" + ports[1])
            .withProperty("listener.security.protocol.map", "CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT,WIRE:SASL_PLAINTEXT")
            .withProperty("listener.name.wire.plain.sasl.jaas.config", plain)
            .withProperty("group.min.session.timeout.ms", "1000"));
    }

    @AfterAll
    static void stopBroker() {
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
    protected ConnectionSettings settings() {
        return withUrl(broker.url());
    }

    private static ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, USER, PASSWORD, null, TIMEOUT);
    }

    @Override
    protected ConnectionSettings spreading() {
        return withUrl(broker.url() + "?partition=round-robin");
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", behindTheWire));
    }

    @Override
    protected int wirePort() {
        return atTheWire;
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return withUrl("kafka://" + host + ":" + port);
    }

    @Override
    protected boolean repairsEveryCut() {
        return true;
    }

    @Override
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(settings(host, port));
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(new ConnectionSettings(broker.url(), USER, Secret.of("battery staple"), null, TIMEOUT));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings(broker.url() + "?security.protocol=SSL", null, null, null, Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl("kafka://" + host + ":" + port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("kafka://localhost:1?noSuchSetting=1"));
    }

    @Override
    protected boolean sendForeign(Destination destination) {
        var config = new java.util.HashMap<String, Object>(KafkaSettings.of(driver(), settings()).producer());
        try (var client = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            // Of all values this one alone has no bytes.
            client.send(new ProducerRecord<>(destination.name(), 0, new byte[] {1}, null));
        }
        return true;
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        return Optional.of(new KafkaVictim(Files.createTempDirectory("contract")));
    }

    private static final class KafkaVictim implements Victim {

        private final Path directory;
        private Broker running;

        KafkaVictim(Path directory) throws Exception {
            this.directory = directory;
            this.running = start(0);
        }

        private Broker start(int port) throws Exception {
            return Broker.start(BrokerName.parse("kafka"),
                BrokerOptions.defaults().withHeap("300m").withPort(port).withDirectory(directory));
        }

        @Override
        public ConnectionSettings settings() {
            return new ConnectionSettings(running.url(), null, null, null, TIMEOUT);
        }

        @Override
        public ConnectionSettings reconnecting() {
            return settings().withProperty("reconnect-timeout", "60");
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

    // ---- what is special

    @Test
    void namesWhatTheClusterTellsOfItself() throws Exception {
        assertThat(connect().broker()).matches("Apache Kafka \\(metadata\\.version \\d+\\)");
    }

    @Test
    void sendsEveryMessageOfAKeyToOnePartition() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("key", "3"));
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 30, "k");
        sends.awaitConfirmed(30);
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        deliveries.await(30);
        for (int key = 0; key < 3; key++) {
            int mine = key;
            assertThat(deliveries.texts().stream().filter(text -> Integer.parseInt(text.substring(1)) % 3 == mine))
                .isEqualTo(IntStream.range(0, 10).mapToObj(i -> "k" + (i * 3 + mine)).toList());
        }
    }

    /** A leader that does not know yet that it is one refuses the first requests of many and takes a later one (KAFKA-15591). */
    @Test
    void sendsAtOnceToTopicsThatDidNotExist() throws Exception {
        var connection = connect(settings().withProperty("batch.size", "500"));
        for (int topic = 0; topic < 20; topic++) {
            var sends = new Sends();
            var producer = connection.producer(queue(), new ProducerSettings(false, 0, null, false, false, false, 0), sends);
            for (int i = 0; i < 300; i++) {
                producer.send(payload("" + i), i);
            }
            producer.flush();
            sends.awaitConfirmed(300);
            assertThat(sends.violations()).isEmpty();
            producer.close();
        }
    }

    @Test
    void refusesAPartitionThatTheTopicDoesNotHave() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("partition", "9").withProperty("partitions", "2"));
        assertThatThrownBy(() -> connection.producer(queue, plain(), new Sends()))
            .isInstanceOf(DriverException.class).hasMessageContaining("no partition 9").hasMessageContaining("it has 2");
    }

    @Test
    void sendsWithAKeyForAGroupAndWithHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            new ProducerSettings(true, 0, "orders", false, true, false, 100, Map.of("colour", "red")), sends);
        send(producer, sends, 0, 20, "g");
        sends.awaitConfirmed(20);
        assertThat(receive(queue, 20)).hasSize(20);
    }

    @Test
    void throwsWhatTheClientDoesNotTake() throws Exception {
        var queue = queue();
        var connection = connect(settings().withProperty("max.request.size", "1000"));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        assertThatThrownBy(() -> producer.send(payload("x".repeat(2000)), 0))
            .isInstanceOf(DriverException.class).hasMessageContaining("max.request.size");
        producer.send(payload("small"), 1);
        Await.until(() -> sends.confirmed() == 1, () -> "confirmed: " + sends.confirmed());
        assertThat(sends.reported()).isEqualTo(1);
    }

    @Test
    void sharesAQueueInAShareGroupWithMoreConsumersThanPartitions() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("share-group", "true").withProperty("partitions", "1");
        var connection = connect(settings);
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(queue, auto(), one);
        connection.consumer(queue, auto(), two);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 2000, "m");
        Await.until(() -> one.count() + two.count() >= 2000, () -> one.count() + " and " + two.count() + " of 2000 came");
        connection.close();
        assertThat(one.failures()).isEmpty();
        assertThat(two.failures()).isEmpty();
        assertThat(connect(settings).depth(queue)).hasValue(0);
    }

    @Test
    void settlesEachMessageOfAShareGroupThatIsPolled() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("share-group", "true");
        assertThat(driver().capabilities(settings)).contains(Capability.REQUEUE, Capability.REJECT);
        var connection = connect(settings);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var seen = new java.util.HashSet<String>();
        var deliveries = new Deliveries(delivery -> delivery.text().equals("m7") ? Settlement.REJECT
            : delivery.text().equals("m3") && seen.add("m3") ? Settlement.REQUEUE : Settlement.ACCEPT);
        var consumer = connection.consumer(queue,
            new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, false, null, true, true), deliveries);
        try (var polling = new Polling(consumer)) {
            deliveries.await(11);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertThat(deliveries.all().stream().filter(Deliveries.Delivery::redelivered).map(Deliveries.Delivery::text))
            .containsExactly("m3");
        assertThat(deliveries.texts()).filteredOn("m7"::equals).hasSize(1);
        assertThat(deliveries.violations()).isEmpty();
        assertThat(connection.depth(queue)).hasValue(0);
    }

    @Test
    void refusesToGiveBackWhatIsAcknowledgedByPosition() throws Exception {
        assertThat(driver().capabilities(settings())).doesNotContain(Capability.REQUEUE, Capability.REJECT);
        assertThatThrownBy(() -> connect().consumer(queue(),
            new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, false, null, true, false), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("share-group=true");
    }

    @Test
    void namesAConsumerThatGetsNoPartition() throws Exception {
        var queue = queue();
        var life = new Life();
        var connection = connect(settings().withProperty("partitions", "1"), life);
        connection.consumer(queue, auto(), new Deliveries());
        connection.consumer(queue, auto(), new Deliveries());
        assertThat(life.notices()).singleElement().asString().contains("no partition").contains(queue.name());
    }

    @Test
    void sharesAQueueUnderTheNewGroupProtocol() throws Exception {
        var queue = queue();
        var connection = connect(spreading().withProperty("group.protocol", "consumer"));
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(queue, auto(), one);
        connection.consumer(queue, auto(), two);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 200, "m");
        Await.until(() -> one.count() + two.count() >= 200, () -> one.count() + " and " + two.count() + " of 200 came");
        assertThat(one.count()).isPositive();
        assertThat(two.count()).isPositive();
    }

    @Test
    void deliversAgainWhatAConsumerThatFellSilentDidNotCommit() throws Exception {
        var wire = wire();
        var queue = queue();
        var direct = connect();
        var sends = new Sends();
        send(direct.producer(queue, plain(), sends), sends, 0, 25, "m");
        sends.awaitConfirmed(25);
        var deliveries = new Deliveries();
        connect(settings(wire.host(), wire.port()).withProperty("session.timeout.ms", "2000")
            .withProperty("request.timeout.ms", "2000")).consumer(queue, consumer(AckMode.BATCH, 10), deliveries);
        deliveries.await(25);
        Await.until(() -> depth(direct, queue) == 5, () -> "the depth is " + depth(direct, queue));
        wire.hold();
        var again = new Deliveries();
        direct.consumer(queue, auto(), again);
        again.await(5);
        assertThat(again.texts()).containsExactly("m20", "m21", "m22", "m23", "m24");
    }

    private static long depth(io.brokermeter.spi.Connection connection, Destination queue) {
        try {
            return connection.depth(queue).orElse(-1);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void goesOnWhenOneOfThreeNodesIsKilled() throws Exception {
        try (var cluster = Broker.start(BrokerName.parse("kafka"), BrokerOptions.defaults().withHeap("256m").withTopology("3-nodes"))) {
            var life = new Life();
            var connection = connect(new ConnectionSettings(cluster.url(), null, null, null, Duration.ofSeconds(20))
                .withProperty("partition", "round-robin").withProperty("partitions", "3"), life);
            var queue = new Destination(Destination.Kind.QUEUE, "survives");
            connection.declare(queue);
            var deliveries = new Deliveries();
            connection.consumer(queue, auto(), deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 300, "m");
            sends.awaitConfirmed(300);
            cluster.nodes().get(1).kill();
            send(producer, sends, 300, 600, "m");
            sends.awaitConfirmed(600);
            Await.until(() -> new java.util.HashSet<>(deliveries.texts()).size() == 600,
                () -> new java.util.HashSet<>(deliveries.texts()).size() + " of 600 came");
            assertThat(life.losses()).isEmpty();
            connection.close();
        }
    }

    @Test
    void confirmsWithoutWaitingWhereNothingIsAcknowledged() throws Exception {
        var settings = settings().withProperty("acks", "0").withProperty("enable.idempotence", "false");
        assertThat(driver().capabilities(settings)).doesNotContain(Capability.CONFIRMATIONS, Capability.PERSISTENCE);
        var queue = queue();
        var sends = new Sends();
        send(connect(settings).producer(queue, plain(), sends), sends, 0, 100, "m");
        sends.awaitConfirmed(100);
        assertThat(receive(queue, 100)).hasSize(100);
    }

    @Test
    void refusesParametersThatCannotBe() {
        assertRefused("linger.ms", "soon", "linger.ms");
        assertRefused("liner.ms", "1", "did you mean linger.ms?");
        assertRefused("bootstrap.servers", "a:1", "in the URL");
        assertRefused("partition", "left", "round-robin");
        assertRefused("requeue-share", "0.5", "--requeue");
        assertRefused("group.id", "mine", "parameter group");
        assertRefused("acks", "5", "acks");
    }

    private void assertRefused(String name, String value, String words) {
        assertThatThrownBy(() -> driver().check(settings().withProperty(name, value)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words);
    }

    @Test
    void hidesPasswordsOfParameters() {
        assertThat(driver().effectiveUrl(withUrl("kafka://h:1?ssl.key.password=hidden"))).isEqualTo("kafka://h:1?ssl.key.password=***");
    }

    @Test
    void closesManyConsumersOfASilentBrokerWithinOneLimit() throws Exception {
        var wire = wire();
        var connection = connect(settings(wire.host(), wire.port()).withProperty("partitions", "4"));
        var queue = queue();
        connection.declare(queue);
        var deliveries = new Deliveries();
        for (int i = 0; i < 4; i++) {
            connection.consumer(queue, new ConsumerSettings(AckMode.BATCH, 100, null, false, false, -1, false), deliveries);
            connection.consumer(topic(), auto(), new Deliveries());
        }
        var sends = new Sends();
        send(connect(settings().withProperty("partition", "round-robin")).producer(queue, plain(), sends), sends, 0, 20, "m");
        deliveries.await(20);
        wire.swallow();
        long start = System.nanoTime();
        connection.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("time to close 8 consumers, each of which waits for 8 s at most")
            .isLessThan(Duration.ofSeconds(30));
        assertThat(deliveries.failures()).isNotEmpty();
    }
}
