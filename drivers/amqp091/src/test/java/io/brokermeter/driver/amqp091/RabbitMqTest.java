package io.brokermeter.driver.amqp091;

import static io.brokermeter.contract.TestMessages.awaitDepth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Features of RabbitMQ beyond the contract, over both transports. */
@Tag("slow")
@ParameterizedClass
@ValueSource(strings = {"own", "client"})
class RabbitMqTest {

    private static final ThrowawayBroker BROKER = Amqp091Broker.rabbitMq("own");

    private final Amqp091Driver driver = new Amqp091Driver();
    private final String transport;
    private final List<Connection> opened = new ArrayList<>();
    private final List<Destination> used = new ArrayList<>();

    RabbitMqTest(String transport) {
        this.transport = transport;
    }

    @BeforeAll
    static void startBroker() throws Exception {
        BROKER.broker();
    }

    @AfterEach
    void closeEverything() throws Exception {
        for (var connection : opened.reversed()) {
            connection.close();
        }
        try (var cleaner = driver.connect(settings(), new ConnectionLog())) {
            for (var destination : used) {
                cleaner.delete(destination);
            }
        }
    }

    @Test
    void logsInByItsCertificate() throws Exception {
        try (var connection = driver.connect(LoginByCertificate.settings(ThrowawayBroker.USER, transport), new ConnectionLog())) {
            assertThat(connection.broker()).startsWith("RabbitMQ");
        }
        assertThatThrownBy(() -> driver.connect(LoginByCertificate.settings("stranger", transport), new ConnectionLog()))
            .isInstanceOf(DriverException.class).hasMessageContaining("refuses the login by certificate: it has no user of the name");
    }

    @Test
    void saysThatABrokerOffersNoLoginByCertificate() throws Exception {
        try (var front = LoginByCertificate.front(BROKER)) {
            var settings = LoginByCertificate.settings(ThrowawayBroker.USER, transport).withUrl("amqp091s://localhost:" + front.port());
            assertThatThrownBy(() -> driver.connect(settings, new ConnectionLog())).isInstanceOf(DriverException.class)
                .hasMessageContaining("offer").hasMessageContaining("PLAIN");
        }
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).matches("RabbitMQ \\d+\\.\\d+\\.\\d+.*");
    }

    @Test
    void takesUrlsOfTheOtherAmqp() throws Exception {
        var settings = new ConnectionSettings("amqp://127.0.0.1:" + BROKER.port() + "/%2F",
            Amqp091Broker.USER, Amqp091Broker.PASSWORD, null, Duration.ofSeconds(30), Map.of("transport", transport));
        driver.check(settings);
        try (var connection = driver.connect(settings, new ConnectionLog())) {
            assertThat(connection.broker()).startsWith("RabbitMQ");
        }
    }

    @Test
    void saysThatThereIsNoSuchVirtualHost() throws Exception {
        var settings = new ConnectionSettings("amqp091://127.0.0.1:" + BROKER.port() + "/nowhere",
            Amqp091Broker.USER, Amqp091Broker.PASSWORD, null, Duration.ofSeconds(30), Map.of("transport", transport));
        assertThatThrownBy(() -> driver.connect(settings, new ConnectionLog())).message().contains("nowhere");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "quorum"})
    void usesQueuesOfTheTypeThatIsAskedFor(String type) throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect("queue-type", type);
        assertThat(connection.declare(queue)).isTrue();
        assertThat(connection.declare(queue)).isFalse();
        var other = connect("queue-type", type.equals("quorum") ? "classic" : "quorum");
        assertThatThrownBy(() -> other.declare(queue)).message().contains("x-queue-type").contains(queue.name());
        var sends = send(connection, queue, persistent(), 100);
        sends.awaitConfirmed(100);
        var deliveries = new Deliveries();
        connection.consumer(queue, consumer(AckMode.BATCH, 10), deliveries).close();
        connection.consumer(queue, consumer(AckMode.BATCH, 10), deliveries);
        deliveries.await(100);
        assertThat(sends.violations()).isEmpty();
        assertThat(deliveries.texts()).hasSize(100).startsWith("m0").endsWith("m99");
    }

    @Test
    void readsAStreamFromItsBeginningAsOftenAsOneLikes() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect("queue-type", "stream");
        connection.declare(queue);
        send(connection, queue, persistent(), 50).awaitConfirmed(50);
        for (int i = 0; i < 2; i++) {
            var deliveries = new Deliveries();
            try (var consumer = connection.consumer(queue, consumer(AckMode.AUTO, 1), deliveries)) {
                deliveries.await(50);
                assertThat(deliveries.texts()).isEqualTo(numbered(50));
            }
        }
        var tail = new Deliveries();
        connect(Map.of("queue-type", "stream", "stream-offset", "40")).consumer(queue, consumer(AckMode.AUTO, 1), tail);
        tail.await(10);
        assertThat(tail.texts()).isEqualTo(numbered(50).subList(40, 50));
    }

    @Test
    void givesEveryConsumerAllThatComesIntoAStreamAsATopic() throws Exception {
        var topic = fresh(Destination.Kind.TOPIC);
        var connection = connect("queue-type", "stream");
        connection.declare(topic);
        send(connection, topic, persistent(), 5).awaitConfirmed(5);
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(topic, consumer(AckMode.AUTO, 1), one);
        connect("queue-type", "stream").consumer(topic, consumer(AckMode.AUTO, 1), two);
        send(connection, topic, persistent(), 20).awaitConfirmed(20);
        for (var deliveries : List.of(one, two)) {
            Await.until(() -> deliveries.texts().containsAll(numbered(20)), () -> "only " + deliveries.texts());
        }
    }

    @Test
    void failsWhatComesBackFromTheBroker() throws Exception {
        var topic = fresh(Destination.Kind.TOPIC);
        var connection = connect("mandatory", "true");
        var lonely = send(connection, topic, plain(), 20);
        lonely.awaitReported(20);
        assertThat(lonely.failures()).hasSize(20)
            .allSatisfy((token, cause) -> assertThat(cause.getMessage()).startsWith("returned: NO_ROUTE (312)"));
        var deliveries = new Deliveries();
        connection.consumer(topic, consumer(AckMode.AUTO, 1), deliveries);
        var heard = send(connection, topic, plain(), 20);
        heard.awaitConfirmed(20);
        deliveries.await(20);
        assertThat(lonely.violations()).isEmpty();
        assertThat(heard.violations()).isEmpty();
    }

    @Test
    void failsWhatComesBackFromATransaction() throws Exception {
        var topic = fresh(Destination.Kind.TOPIC);
        var connection = connect("mandatory", "true");
        var sends = new Sends();
        var producer = connection.producer(topic, transacted(), sends);
        for (int i = 0; i < 5; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.commit();
        assertThat(sends.failures()).hasSize(5);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void failsWhatAFullQueueRejects() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect(Map.of("max-length", "10", "overflow", "reject-publish"));
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        for (int i = 0; i < 40; i++) {
            producer.send(payload("m" + i), i);
            producer.flush();
            sends.awaitReported(i + 1);
        }
        assertThat(sends.confirmed()).isBetween(10, 12);
        assertThat(sends.failures().values()).allSatisfy(cause -> assertThat(cause.getMessage()).contains("nack"));
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void countsASendAsConfirmedWhenItIsWrittenWithoutConfirms() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var settings = settings("confirms", "false");
        assertThat(driver.capabilities(settings)).doesNotContain(Capability.CONFIRMATIONS);
        var connection = connect("confirms", "false");
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        for (int i = 0; i < 1000; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.flush();
        assertThat(sends.confirmed()).isEqualTo(1000);
        producer.send(payload("last"), 1000);
        producer.close();
        sends.closed();
        assertThat(sends.confirmed()).isEqualTo(1001);
        assertThat(sends.violations()).isEmpty();
        var deliveries = new Deliveries();
        connection.consumer(queue, consumer(AckMode.AUTO, 1), deliveries);
        deliveries.await(1001);
    }

    @Test
    void receivesWithoutAcknowledging() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        assertThat(driver.capabilities(settings("auto-ack", "true"))).doesNotContain(
            Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE, Capability.PREFETCH);
        var connection = connect("auto-ack", "true");
        connection.declare(queue);
        send(connection, queue, plain(), 3000).awaitConfirmed(3000);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, consumer(AckMode.AUTO, 1), deliveries);
        deliveries.await(3000);
        consumer.close();
        assertThat(connection.depth(queue)).hasValue(0);
        assertThat(deliveries.texts()).isEqualTo(numbered(3000));
    }

    @Test
    void sendsWhatIsAskedForInTheHeaderOfAMessage() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect(Map.of("priority", "3", "mandatory", "true"));
        connection.declare(queue);
        long before = System.currentTimeMillis() / 1000;
        send(connection, queue, ProducerSettings.of(its -> {
            its.persistent = true;
            its.ttlMillis = 60_000;
            its.messageIds = true;
            its.timestamps = true;
            its.maxPending = 100;
            its.variants = List.of(new MessageVariant(null, -1, Map.of("colour", "red")));
        }), 2).awaitConfirmed(2);
        var first = get(queue);
        var second = get(queue);
        var properties = first.getProps();
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getExpiration()).isEqualTo("60000");
        assertThat(properties.getPriority()).isEqualTo(3);
        assertThat(properties.getTimestamp().getTime() / 1000).isBetween(before, System.currentTimeMillis() / 1000);
        assertThat(properties.getHeaders().get("colour")).hasToString("red");
        assertThat(properties.getMessageId()).isNotBlank().isNotEqualTo(second.getProps().getMessageId());
        assertThat(new String(first.getBody(), StandardCharsets.UTF_8)).isEqualTo("m0");
        send(connection, queue, plain(), 1).awaitConfirmed(1);
        var bare = get(queue).getProps();
        assertThat(bare.getDeliveryMode()).isEqualTo(1);
        assertThat(bare.getExpiration()).isNull();
        assertThat(bare.getMessageId()).isNull();
        assertThat(bare.getTimestamp()).isNull();
    }

    private static GetResponse get(Destination queue) throws Exception {
        var factory = new ConnectionFactory();
        factory.setPort(BROKER.port());
        factory.setUsername(Amqp091Broker.USER);
        factory.setPassword(Amqp091Broker.PASSWORD.reveal());
        factory.setHandshakeTimeout(60_000);
        try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
            var response = channel.basicGet(queue.name(), true);
            assertThat(response).isNotNull();
            return response;
        }
    }

    @Test
    void routesByKeysThroughANamedExchange() throws Exception {
        var topic = new Destination(Destination.Kind.TOPIC, "orders.eu.paid");
        var exchange = "exchange-" + UUID.randomUUID();
        used.add(new Destination(Destination.Kind.TOPIC, exchange));
        var european = new Deliveries();
        var american = new Deliveries();
        connect(Map.of("exchange", exchange, "binding-key", "orders.eu.#")).consumer(topic, consumer(AckMode.AUTO, 1), european);
        connect(Map.of("exchange", exchange, "binding-key", "orders.us.#")).consumer(topic, consumer(AckMode.AUTO, 1), american);
        var exact = new Deliveries();
        var connection = connect("exchange", exchange);
        connection.consumer(topic, consumer(AckMode.AUTO, 1), exact);
        send(connection, topic, plain(), 10).awaitConfirmed(10);
        european.await(10);
        exact.await(10);
        var queue = fresh(Destination.Kind.QUEUE);
        var bound = connect(Map.of("exchange", exchange, "routing-key", "orders.us.new"));
        bound.declare(queue);
        send(bound, queue, plain(), 5).awaitConfirmed(5);
        american.await(5);
        assertThat(bound.depth(queue)).hasValue(5);
        assertThat(european.count()).isEqualTo(10);
    }

    @Test
    void sendsNoMoreAheadThanThePrefetch() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect();
        connection.declare(queue);
        send(connection, queue, plain(), 50).awaitConfirmed(50);
        var mayGoOn = new CountDownLatch(1);
        var consumer = connect().consumer(queue, ConsumerSettings.of(its -> { its.prefetch = 5; its.mayBlock = true; }),
            new DeliveryListener() {

                @Override
                public Settlement delivered(ByteBuffer body, boolean redelivered) {
                    try {
                        mayGoOn.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return Settlement.ACCEPT;
                }

                @Override
                public void failed(Throwable cause) {}
            });
        awaitDepth(connection, queue, 45);
        mayGoOn.countDown();
        awaitDepth(connection, queue, 0);
        consumer.close();
    }

    @Test
    void receivesInTransactionsThatAreLargerThanUsual() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect();
        connection.declare(queue);
        send(connection, queue, plain(), 5000).awaitConfirmed(5000);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue,
            ConsumerSettings.of(its -> {
                its.ackMode = AckMode.TRANSACTED;
                its.batch = 1500;
                its.prefetch = 4000;
            }), deliveries);
        deliveries.await(5000);
        consumer.close();
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.texts()).isEqualTo(numbered(5000));
        assertThat(connection.depth(queue)).hasValue(0);
    }

    @Test
    void refusesABatchThatThePrefetchWouldNeverFill() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var connection = connect();
        assertThatThrownBy(() -> connection.consumer(queue,
            ConsumerSettings.of(its -> {
                its.ackMode = AckMode.BATCH;
                its.batch = 10;
                its.prefetch = 5;
            }), new Deliveries()))
            .message().contains("prefetch of 5").contains("10");
    }

    @Test
    void hearsThatItsQueueIsGone() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var deliveries = new Deliveries();
        connect().consumer(queue, consumer(AckMode.AUTO, 1), deliveries);
        connect().delete(queue);
        Await.until(() -> !deliveries.failures().isEmpty(), () -> "nothing was heard");
        assertThat(deliveries.failures().getFirst().getMessage()).contains(queue.toString());
    }

    @Test
    void failsTheSendsThatWaitWhenTheChannelIsClosed() throws Exception {
        var queue = fresh(Destination.Kind.QUEUE);
        var exchange = "gone-" + UUID.randomUUID();
        var connection = connect("exchange", exchange);
        connection.declare(queue);
        var log = new ConnectionLog();
        var sending = driver.connect(settings("exchange", exchange), log);
        opened.add(sending);
        var sends = new Sends();
        var producer = sending.producer(queue, plain(), sends);
        connect().delete(new Destination(Destination.Kind.TOPIC, exchange));
        producer.send(payload("m"), 0);
        producer.flush();
        sends.awaitReported(1);
        assertThat(sends.failures().get(0L).getMessage()).contains("NOT_FOUND").contains(exchange);
        Await.until(() -> refuses(producer), () -> "the producer goes on");
        assertThat(log.losses()).isEmpty();
        assertThat(sending.declare(queue)).isFalse();
    }

    private static boolean refuses(io.brokermeter.spi.Producer producer) {
        try {
            producer.send(payload("more"), 1);
            return false;
        } catch (Exception e) {
            return e.getMessage() != null;
        }
    }

    // ---- helpers

    private ConnectionSettings settings(String... pair) throws Exception {
        return settings(pair.length == 0 ? Map.of() : Map.of(pair[0], pair[1]));
    }

    private ConnectionSettings settings(Map<String, String> parameters) throws Exception {
        var settings = new ConnectionSettings("amqp091://127.0.0.1:" + BROKER.port(),
            Amqp091Broker.USER, Amqp091Broker.PASSWORD, null, Duration.ofSeconds(30), parameters)
            .withProperty("transport", transport);
        driver.check(settings);
        return settings;
    }

    private Connection connect(String... pair) throws Exception {
        return connect(pair.length == 0 ? Map.of() : Map.of(pair[0], pair[1]));
    }

    private Connection connect(Map<String, String> parameters) throws Exception {
        var connection = driver.connect(settings(parameters), new ConnectionLog());
        opened.add(connection);
        return connection;
    }

    private Destination fresh(Destination.Kind kind) {
        var destination = new Destination(kind, "rabbit." + UUID.randomUUID());
        used.add(destination);
        if (destination.isTopic()) {
            used.add(new Destination(Destination.Kind.QUEUE, destination.name()));
        }
        return destination;
    }

    private static Sends send(Connection connection, Destination destination, ProducerSettings settings, int count) throws Exception {
        var sends = new Sends();
        var producer = connection.producer(destination, settings, sends);
        for (int i = 0; i < count; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.flush();
        return sends;
    }

    private static Payload payload(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    private static ProducerSettings plain() {
        return ProducerSettings.DEFAULT;
    }

    private static ProducerSettings persistent() {
        return ProducerSettings.of(its -> its.persistent = true);
    }

    private static ProducerSettings transacted() {
        return ProducerSettings.of(its -> { its.transacted = true; its.maxPending = 100; });
    }

    private static ConsumerSettings consumer(AckMode mode, int batch) {
        return ConsumerSettings.of(its -> { its.ackMode = mode; its.batch = batch; });
    }
}
