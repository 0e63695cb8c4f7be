package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the driver must do with every broker and both versions. */
abstract class MqttContract extends DriverContract {

    static final String USER = "meter";
    static final Secret PASSWORD = Secret.of("correct horse");
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    /** The broker that runs during all tests; its only user is {@link #USER}. */
    abstract Broker broker();

    /** The value of the parameter {@code version}. */
    String version() {
        return "5";
    }

    static Broker start(String kind, boolean persistent) throws Exception {
        return Broker.start(BrokerName.parse(kind),
            BrokerOptions.defaults().withHeap("400m").withPersistent(persistent).withLogin(USER, PASSWORD));
    }

    @Override
    protected Driver driver() {
        return new MqttDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return withUrl(broker().urls().get("MQTT"));
    }

    private ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, USER, PASSWORD, null, TIMEOUT, Map.of("version", version()));
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker().port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return withUrl("mqtt://" + host + ":" + port);
    }

    /** A shared subscription is all the protocol has, and it begins with its first consumer. */
    @Override
    protected boolean queuesKeepMessages() {
        return false;
    }

    @Override
    protected boolean deletes() {
        return false;
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(new ConnectionSettings(settings().url(), USER, Secret.of("battery staple"), null, TIMEOUT,
            Map.of("version", version())));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings("mqtts://127.0.0.1:" + broker().port() + "?trust-all=true", USER, PASSWORD,
            null, Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl("mqtt://" + host + ":" + port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("mqtt://localhost:1?noSuchSetting=1"));
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        Broker victim = start("mosquitto", true);
        return Optional.of(new Victim() {

            @Override
            public ConnectionSettings settings() {
                return withUrl(victim.url());
            }

            @Override
            public void kill() {
                victim.kill();
            }

            @Override
            public void close() {
                victim.close();
            }
        });
    }

    // ---- what is special

    static ConsumerSettings durable(String name) {
        return new ConsumerSettings(AckMode.AUTO, 1, name, true, false, -1, false);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void deliversOnceWithEveryQualityOfService(int qos) throws Exception {
        var topic = topic();
        var settings = settings().withProperty("qos", "" + qos);
        var deliveries = new Deliveries();
        connect(settings).consumer(topic, auto(), deliveries);
        var sends = new Sends();
        var producer = connect(settings).producer(topic, plain(), sends);
        send(producer, sends, 0, 3000, "m");
        sends.awaitConfirmed(3000);
        deliveries.await(3000);
        producer.close();
        assertThat(deliveries.texts()).hasSize(3000).doesNotHaveDuplicates();
        assertThat(sends.violations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void deliversAgainWhatADurableSubscriptionDidNotAcknowledge(int qos) throws Exception {
        var topic = topic();
        var wire = wire();
        String id = "contract-" + UUID.randomUUID();
        var behind = settings(wire.host(), wire.port()).withClientId(id).withProperty("consumer-qos", "" + qos);
        var direct = settings().withClientId(id).withProperty("consumer-qos", "" + qos);
        var first = new Deliveries();
        var cut = connect(behind);
        cut.consumer(topic, durable("kept"), first);
        var sends = new Sends();
        var producer = connect().producer(topic, plain(), sends);
        send(producer, sends, 0, 5, "a");
        first.await(5);
        wire.hold();
        send(producer, sends, 5, 10, "b");
        sends.awaitConfirmed(10);
        wire.cut();
        wire.release();
        var again = new Deliveries();
        var connection = connect(direct);
        var consumer = connection.consumer(topic, durable("kept"), again);
        Await.until(() -> again.texts().containsAll(java.util.List.of("b5", "b6", "b7", "b8", "b9")), () -> "only these came: " + again.texts());
        assertThat(again.texts()).contains("b5", "b6", "b7", "b8", "b9");
        consumer.close();
        var nothing = new Deliveries();
        connection.consumer(topic, durable("kept"), nothing).close();
        assertThat(nothing.texts()).isEmpty();
        connection.unsubscribe(topic, "kept");
    }

    @Test
    void takesRetainedMessagesWhenAskedTo() throws Exception {
        var topic = topic();
        var retaining = settings().withProperty("retain", "true");
        var sends = new Sends();
        var producer = connect(retaining).producer(topic, plain(), sends);
        send(producer, sends, 0, 3, "m");
        sends.awaitConfirmed(3);
        var with = new Deliveries();
        var without = new Deliveries();
        connect(retaining).consumer(topic, auto(), with);
        connect().consumer(topic, auto(), without);
        with.await(1);
        send(producer, sends, 3, 4, "m");
        with.await(2);
        without.await(1);
        assertThat(with.texts()).containsExactly("m2", "m3");
        assertThat(without.texts()).containsExactly("m3");
        // an empty retained message takes the one before it away
        producer.send(new Payload(new byte[0]), 4);
        producer.flush();
        sends.awaitConfirmed(5);
    }

    @Test
    void servesManyTopicsOnOneConnection() throws Exception {
        var connection = connect();
        var topics = java.util.stream.IntStream.range(0, 5).mapToObj(i -> topic()).toList();
        var received = topics.stream().map(topic -> new Deliveries()).toList();
        for (int i = 0; i < 5; i++) {
            connection.consumer(topics.get(i), auto(), received.get(i));
        }
        for (int i = 0; i < 5; i++) {
            var sends = new Sends();
            send(connection.producer(topics.get(i), plain(), sends), sends, 0, 20, i + "/");
            sends.awaitConfirmed(20);
        }
        for (int i = 0; i < 5; i++) {
            received.get(i).await(20);
            String prefix = i + "/";
            assertThat(received.get(i).texts()).hasSize(20).allMatch(text -> text.startsWith(prefix));
        }
    }

    @Test
    void saysThatTheReceiveMaximumIsReached() throws Exception {
        var wire = wire();
        var topic = topic();
        var connection = connect(settings(wire.host(), wire.port()).withProperty("receive-maximum", "10"));
        var sends = new Sends();
        var producer = connection.producer(topic, new ProducerSettings(false, 0, null, false, false, false, 0), sends);
        send(producer, sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        assertThat(producer.stallReason()).isEmpty();
        wire.hold();
        var sending = Thread.ofVirtual().start(() -> {
            try {
                for (int token = 5; token < 100; token++) {
                    producer.send(payload("m" + token), token);
                    producer.flush();
                }
            } catch (Exception e) {
                sends.failed(100, e);
            }
        });
        Await.until(() -> !producer.stallReason().isEmpty(), () -> "no reason was given");
        assertThat(producer.stallReason()).isEqualTo("receive maximum 10 reached");
        wire.release();
        sending.join();
        sends.awaitConfirmed(100);
        assertThat(producer.stallReason()).isEmpty();
    }

    @Test
    void subscribesWithWildcards() throws Exception {
        var topic = topic();
        var deliveries = new Deliveries();
        connect().consumer(new io.brokermeter.spi.Destination(topic.kind(), topic.name() + "/+/x"), auto(), deliveries);
        for (String name : java.util.List.of("/a/x", "/b/y", "/c/x")) {
            var sends = new Sends();
            send(connect().producer(topic.withSuffix(name), plain(), sends), sends, 0, 1, name);
            sends.awaitConfirmed(1);
        }
        deliveries.await(2);
        assertThat(deliveries.texts()).containsExactly("/a/x0", "/c/x0");
    }
}
