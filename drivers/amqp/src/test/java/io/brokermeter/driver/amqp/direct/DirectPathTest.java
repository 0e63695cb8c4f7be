package io.brokermeter.driver.amqp.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.driver.amqp.AmqpBroker;
import io.brokermeter.driver.amqp.AmqpDriver;
import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Transport;
import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSContext;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Behaviour beyond the contract: delivery on the reading thread, and messages that JMS clients can read. */
@Tag("slow")
class DirectPathTest {

    private static final ThrowawayBroker BROKER = AmqpBroker.artemis();

    private static Destination queue() {
        return new Destination(Destination.Kind.QUEUE, "direct." + UUID.randomUUID());
    }

    private static String url() {
        return "amqp://127.0.0.1:" + BROKER.port();
    }

    private static Connection connect() throws Exception {
        var settings = BROKER.settings();
        assertThat(DirectPath.obstacle(settings)).isEmpty();
        return DirectPath.connect(settings, new ConnectionLog());
    }

    private static JMSContext jms() {
        return new JmsConnectionFactory(url() + "?jms.connectTimeout=60000").createContext(ThrowawayBroker.USER, AmqpBroker.PASSWORD);
    }

    private static ConsumerSettings inline(AckMode mode, int batch, int prefetch) {
        return ConsumerSettings.of(its -> { its.ackMode = mode; its.batch = batch; its.prefetch = prefetch; });
    }

    private static ProducerSettings window(int maxPending) {
        return ProducerSettings.of(its -> its.maxPending = maxPending);
    }

    private static void send(Producer producer, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            producer.send(new Payload(("m" + i).getBytes(StandardCharsets.UTF_8)), i);
        }
        producer.flush();
    }

    @Test
    void deliversOnTheReadingThreadAndAcceptsEverything() throws Exception {
        for (var settings : new ConsumerSettings[] {
            inline(AckMode.AUTO, 1, -1), inline(AckMode.AUTO, 1, 1), inline(AckMode.BATCH, 700, 10)}) {
            var queue = queue();
            try (var sending = connect(); var receiving = connect()) {
                var deliveries = new Deliveries();
                var consumer = receiving.consumer(queue, settings, deliveries);
                var sends = new Sends();
                send(sending.producer(queue, window(0), sends), 0, 1000);
                deliveries.await(1000);
                sends.awaitConfirmed(1000);
                assertThat(deliveries.texts()).isEqualTo(IntStream.range(0, 1000).mapToObj(i -> "m" + i).toList());
                consumer.close();
                deliveries.closed();
                send(sending.producer(queue, window(1), sends), 1000, 1001);
                var rest = new Deliveries();
                receiving.consumer(queue, settings, rest);
                rest.await(1);
                assertThat(rest.texts()).containsExactly("m1000");
                assertThat(deliveries.violations()).isEmpty();
                assertThat(deliveries.failures()).isEmpty();
            }
        }
    }

    /** The longest message needs more frames than the session window allows, so the window must be extended during the message. */
    @Test
    void deliversEverythingThroughTheSmallestWindowOfASession() throws Exception {
        for (int window : new int[] {1, 2, 5}) {
            var queue = queue();
            var settings = BROKER.settings();
            try (var sending = connect(); var receiving = DirectPath.connect(settings, window, new ConnectionLog())) {
                var deliveries = new Deliveries();
                receiving.consumer(queue, inline(AckMode.AUTO, 1, -1), deliveries);
                var sends = new Sends();
                var producer = sending.producer(queue, window(0), sends);
                send(producer, 0, 300);
                producer.send(new Payload(new byte[2_000_000]), 300);
                send(producer, 301, 400);
                sends.awaitConfirmed(400);
                deliveries.await(400);
                assertThat(deliveries.texts().subList(0, 300)).isEqualTo(IntStream.range(0, 300).mapToObj(i -> "m" + i).toList());
                assertThat(deliveries.all().get(300).bytes()).hasSize(2_000_000);
                assertThat(deliveries.violations()).isEmpty();
            }
        }
    }

    @Test
    void refusesAWindowOfSessionsWhereItHasNone() throws Exception {
        var settings = new ConnectionSettings("amqp://h", null, null, null, Duration.ofSeconds(20));
        var driver = new AmqpDriver();
        driver.check(settings.withUrl("amqp://h?session-window=5&jms.prefetchPolicy.all=7"));
        assertThatThrownBy(() -> driver.check(settings.withUrl("amqp://h?session-window=-5")))
            .isInstanceOf(IllegalArgumentException.class).hasMessage("session-window=-5 must be a number of frames, or 0.");
        assertThatThrownBy(() -> driver.check(settings.withUrl("amqp://h?session-window=5&transport=client")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("session-window does not go together with transport=client");
        assertThatThrownBy(() -> driver.check(settings.withUrl("failover:(amqp://h)?session-window=5")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("does not go together with a failover URL");
        try (var connection = DirectPath.connect(BROKER.settings(), 5, new ConnectionLog())) {
            assertThatThrownBy(() -> connection.consumer(queue(), inline(AckMode.TRANSACTED, 10, -1), new Deliveries()))
                .isInstanceOf(DriverException.class).hasMessageContaining("session-window needs brokermeter's own AMQP path");
        }
    }

    @Test
    void losesAndRepeatsNothingWhenAConsumerLeavesInTheMiddle() throws Exception {
        var queue = queue();
        try (var sending = connect(); var one = connect(); var two = connect()) {
            var first = new Deliveries();
            var consumer = one.consumer(queue, inline(AckMode.AUTO, 1, -1), first);
            var sends = new Sends();
            var producer = sending.producer(queue, window(0), sends);
            send(producer, 0, 2000);
            first.await(100);
            consumer.close();
            first.closed();
            var second = new Deliveries();
            two.consumer(queue, inline(AckMode.AUTO, 1, -1), second);
            Await.until(() -> first.count() + second.count() >= 2000,
                () -> first.count() + " and " + second.count() + " of 2000 were delivered");
            var all = new HashSet<>(first.texts());
            all.addAll(second.texts());
            assertThat(all).hasSize(2000);
            assertThat(first.count() + second.count()).isEqualTo(2000);
            assertThat(first.violations()).isEmpty();
        }
    }

    @Test
    void sendsAndReceivesOnOneConnection() throws Exception {
        var queue = queue();
        try (var connection = connect()) {
            var deliveries = new Deliveries();
            connection.consumer(queue, inline(AckMode.AUTO, 1, -1), deliveries);
            var sends = new Sends();
            send(connection.producer(queue, window(0), sends), 0, 5_000);
            deliveries.await(5_000);
            sends.awaitConfirmed(5_000);
            assertThat(sends.violations()).isEmpty();
        }
    }

    @Test
    void carriesLargeMessagesBothWays() throws Exception {
        var queue = queue();
        try (var connection = connect(); var other = connect()) {
            var deliveries = new Deliveries();
            other.consumer(queue, inline(AckMode.AUTO, 1, -1), deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue, window(100), sends);
            for (int i = 0; i < 30; i++) {
                var body = new byte[40_000 * i];
                java.util.Arrays.fill(body, (byte) i);
                producer.send(new Payload(body), i);
            }
            producer.flush();
            deliveries.await(30);
            sends.awaitConfirmed(30);
            for (int i = 0; i < 30; i++) {
                var body = new byte[40_000 * i];
                java.util.Arrays.fill(body, (byte) i);
                assertThat(deliveries.all().get(i).bytes()).isEqualTo(body);
            }
        }
    }

    @Test
    void makesMessagesThatJmsClientsRead() throws Exception {
        var queue = queue();
        var ids = new HashSet<String>();
        try (var connection = connect(); var context = jms()) {
            var sends = new Sends();
            var producer = connection.producer(
                queue, ProducerSettings.of(its -> {
                    its.persistent = true;
                    its.ttlMillis = 60_000;
                    its.messageIds = true;
                    its.timestamps = true;
                    its.maxPending = 10;
                    its.variants = List.of(new MessageVariant("group", -1, Map.of()));
                }), sends);
            long before = System.currentTimeMillis();
            send(producer, 0, 3);
            sends.awaitConfirmed(3);
            var consumer = context.createConsumer(context.createQueue(queue.name()));
            for (int i = 0; i < 3; i++) {
                var message = (BytesMessage) consumer.receive(60_000);
                assertThat(message.getBody(byte[].class)).asString().isEqualTo("m" + i);
                assertThat(message.getJMSMessageID()).startsWith("ID:");
                ids.add(message.getJMSMessageID());
                assertThat(message.getJMSTimestamp()).isBetween(before, System.currentTimeMillis());
                assertThat(message.getJMSExpiration()).isEqualTo(message.getJMSTimestamp() + 60_000);
                assertThat(message.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
                assertThat(message.getJMSPriority()).isEqualTo(4);
                assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo("group");
                assertThat(message.getJMSDestination()).hasToString(queue.name());
            }
            assertThat(ids).hasSize(3);
            send(connection.producer(queue, window(10), sends), 3, 4);
            var plain = (BytesMessage) consumer.receive(60_000);
            assertThat(plain.getJMSMessageID()).isNull();
            assertThat(plain.getJMSTimestamp()).isZero();
            assertThat(plain.getJMSExpiration()).isZero();
            assertThat(plain.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            assertThat(plain.getStringProperty("JMSXGroupID")).isNull();
        }
    }

    @Test
    void makesEachVariantAsJmsClientsReadIt() throws Exception {
        var queue = queue();
        try (var connection = connect(); var context = jms()) {
            var sends = new Sends();
            var producer = connection.producer(queue, ProducerSettings.of(its -> {
                its.delayMillis = 300;
                its.messageIds = true;
                its.maxPending = 10;
                its.envelopeProperty = true;
                its.variants = List.of(new MessageVariant("g", 9, Map.of("colour", "red")), new MessageVariant(null, -1, Map.of()));
            }), sends);
            var payload = new Payload(new byte[100]);
            payload.envelope(new byte[] {0, 1, -1, 127, -128});
            for (int i = 0; i < 4; i++) {
                payload.variant(i % 2);
                payload.body(payload.bytes(), i);
                producer.send(payload, i);
                payload.envelope()[0]++;
            }
            producer.flush();
            sends.awaitConfirmed(4);
            var consumer = context.createConsumer(context.createQueue(queue.name()));
            var properties = new HashSet<String>();
            for (int i = 0; i < 4; i++) {
                var message = (BytesMessage) consumer.receive(60_000);
                boolean first = message.getBodyLength() % 2 == 0;
                properties.add(message.getStringProperty("brokermeter"));
                assertThat(message.getStringProperty("colour")).isEqualTo(first ? "red" : null);
                assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo(first ? "g" : null);
                assertThat(message.getJMSPriority()).isEqualTo(first ? 9 : 4);
                assertThat(message.getJMSDeliveryTime()).isPositive();
            }
            assertThat(properties).containsExactlyInAnyOrder("0001ff7f80", "0101ff7f80", "0201ff7f80", "0301ff7f80");
        }
    }

    @Test
    void readsWhatJmsClientsSend() throws Exception {
        var queue = queue();
        try (var connection = connect(); var context = jms()) {
            var deliveries = new Deliveries();
            connection.consumer(queue, inline(AckMode.AUTO, 1, -1), deliveries);
            var producer = context.createProducer().setProperty("colour", "red").setPriority(7);
            var target = context.createQueue(queue.name());
            producer.send(target, "bytes".getBytes(StandardCharsets.UTF_8));
            producer.send(target, "text");
            producer.send(target, java.util.Map.of("key", 1));
            producer.send(target, context.createMessage());
            producer.send(target, new byte[100_000]);
            deliveries.await(5);
            assertThat(deliveries.texts().subList(0, 4)).containsExactly("bytes", "", "", "");
            assertThat(deliveries.all().get(4).bytes()).hasSize(100_000);
        }
    }

    @Test
    void saysThatTheConnectionIsClosed() throws Exception {
        var connection = connect();
        var producer = connection.producer(queue(), window(10), new Sends());
        connection.close();
        connection.close();
        assertThatThrownBy(() -> send(producer, 0, 1)).isInstanceOf(java.io.IOException.class);
        assertThatThrownBy(() -> connection.declare(queue())).isInstanceOf(java.io.IOException.class);
    }

    @Test
    void leavesToQpidWhatItCannotDo() {
        var settings = new ConnectionSettings("amqp://h", null, null, null, Duration.ofSeconds(1));
        assertThat(DirectPath.obstacle(settings)).isEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("amqp://h:1?jms.prefetchPolicy.all=5&amqp.idleTimeout=0"))).isEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("amqp://h:1?jms.prefetchPolicy.all=many"))).isNotEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("amqp://h:1?amqp.vhost=v"))).isNotEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("amqps://h:1?transport.trustAll=true"))).isEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("amqps://h:1?transport.enabledProtocols=TLSv1.3"))).isNotEmpty();
        assertThat(DirectPath.obstacle(settings.withUrl("failover:(amqp://h:1,amqp://h:2)"))).isNotEmpty();
        assertThat(DirectPath.obstacle(settings.withClientId("me"))).isNotEmpty();
    }

    @Test
    void takesItsParameterOutOfTheUrl() {
        assertThat(stripped("amqp://h?transport=client")).isEqualTo("amqp://h");
        assertThat(stripped("amqp://h?brokermeter.transport=jms")).isEqualTo("amqp://h");
        assertThat(stripped("amqp://h?a=b&transport=own&c=d")).isEqualTo("amqp://h?a=b&c=d");
        assertThat(stripped("amqp://h?transport.tcpNoDelay=true")).isEqualTo("amqp://h?transport.tcpNoDelay=true");
        assertThat(transport("amqp://h?a=b&transport=client")).isEqualTo(Transport.CLIENT);
        assertThat(transport("amqp://h?a=b&brokermeter.transport=jms")).isEqualTo(Transport.CLIENT);
        assertThat(transport("amqp://h?brokermeter.transport=lean")).isEqualTo(Transport.OWN);
        assertThat(transport("amqp://h?transport=own")).isEqualTo(Transport.OWN);
        assertThat(transport("amqp://h?a=b")).isEqualTo(Transport.ANY);
        assertThatThrownBy(() -> transport("amqp://h?transport=pigeon"))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pigeon");
    }

    private static String stripped(String url) {
        return DirectPath.strip(BrokerUrl.of(url)).reveal();
    }

    private static Transport transport(String url) {
        return DirectPath.transport(BrokerUrl.of(url));
    }

    @Test
    void saysWhatItHasNot() {
        var settings = new ConnectionSettings("amqp://h", null, null, null, Duration.ofSeconds(1));
        assertThat(DirectPath.obstacle(settings)).isEmpty();
        assertThat(DirectPath.obstacle(settings.withClientId("me"))).isEqualTo("a client id");
        assertThat(DirectPath.obstacle(settings.withUrl("amqps://h?transport.storeType=JKS")))
            .isEqualTo("the parameter transport.storeType");
        assertThat(DirectPath.obstacle(settings.withUrl("amqpwss://h"))).isEqualTo("WebSockets");
        assertThat(DirectPath.obstacle(settings.withUrl("failover:(amqp://h)"))).isEqualTo("a failover URL");
        assertThat(DirectPath.obstacle(settings.withUrl("amqp://h?jms.forceAsyncAcks=true&jms.presettlePolicy.presettleAll=true")))
            .isEqualTo("the parameter jms.presettlePolicy.presettleAll");
    }
}
