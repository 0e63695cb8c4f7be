package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that a session sends, and the handling of packets that a broker may send. */
@Tag("slow")
class SessionTest {

    private static final Destination TOPIC = new Destination(Destination.Kind.TOPIC, "t");
    private static final ProducerSettings PLAIN = ProducerSettings.of(its -> its.maxPending = 100);

    private final ConnectionLog log = new ConnectionLog();
    private final Sends sends = new Sends();
    private Deliveries deliveries = new Deliveries();
    private FakeMqttBroker broker;

    @BeforeEach
    void listen() throws Exception {
        broker = new FakeMqttBroker();
    }

    @AfterEach
    void hangUp() throws Exception {
        broker.close();
    }

    private Producer producer(Map<String, String> parameters, byte[] answer) throws Exception {
        return broker.connect(answer, log, parameters).producer(TOPIC, PLAIN, sends);
    }

    private Consumer consumer(Map<String, String> parameters) throws Exception {
        return broker.consumer(broker.connect(FakeMqttBroker.ACCEPTED, log, parameters), TOPIC, ConsumerSettings.DEFAULT, deliveries);
    }

    private static void send(Producer producer, int from, int to) throws Exception {
        for (int token = from; token < to; token++) {
            producer.send(new Payload(("m" + token).getBytes(StandardCharsets.UTF_8)), token);
        }
        producer.flush();
    }

    // ---- connecting

    @Test
    void saysThatTheBrokerMayNotKnowVersionFive() throws Exception {
        var connecting = CompletableFuture.supplyAsync(() -> failure(Map.of()));
        broker.accept();
        broker.hangUp();
        assertThat(connecting.get()).isInstanceOf(DriverException.class).hasMessageContaining("version=3.1.1");
    }

    @ParameterizedTest
    @CsvSource({"5,132,version", "5,134,check user and password", "5,133,clientId", "5,137,busy", "5,1,version",
        "3.1.1,5,check user and password", "3.1.1,1,version", "3.1.1,3,unavailable"})
    void saysWhyTheBrokerRefusesAConnection(String version, int code, String word) throws Exception {
        var connecting = CompletableFuture.supplyAsync(() -> failure(Map.of("version", version)));
        broker.accept();
        broker.send(Bytes.packet(0x20, new byte[] {0, (byte) code}));
        assertThat(connecting.get()).isInstanceOf(DriverException.class).hasMessageContaining(word);
    }

    private Throwable failure(Map<String, String> parameters) {
        try {
            new MqttDriver().connect(broker.settings(parameters), log).close();
            return new AssertionError("it connected");
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void asksForWhatTheParametersSay() throws Exception {
        var connecting = CompletableFuture.supplyAsync(() -> failure(Map.of("receive-maximum", "9", "keep-alive", "11",
            "maximum-packet-size", "1000", "topic-alias", "4")));
        byte[] connect = broker.accept();
        broker.send(Bytes.packet(0x20, new byte[] {0, (byte) 0x87, 0}));
        connecting.get();
        byte[] expected = Bytes.of(0x10).text("MQTT").add(5, 0x82, 0, 11)
            .add(11, 0x21, 0, 9, 0x27, 0, 0, 3, 0xe8, 0x22, 0, 4).array();
        assertThat(connect).startsWith(expected);
    }

    // ---- sending

    @Test
    void writesAMessageAsTheStandardSays() throws Exception {
        var producer = producer(Map.of(), FakeMqttBroker.ACCEPTED);
        send(producer, 0, 2);
        assertThat(broker.packet()).isEqualTo(Bytes.of(0x32).text("t").add(0, 1, 0).raw("m0".getBytes()).array());
        assertThat(broker.packet()).isEqualTo(Bytes.of(0x32).text("t").add(0, 2, 0).raw("m1".getBytes()).array());
    }

    @Test
    void writesNoPropertiesInVersionThree() throws Exception {
        var producer = producer(Map.of("version", "3.1.1", "qos", "0", "retain", "true"), Bytes.packet(0x20, new byte[2]));
        send(producer, 0, 1);
        assertThat(broker.packet()).isEqualTo(Bytes.of(0x31).text("t").raw("m0".getBytes()).array());
        sends.awaitConfirmed(1);
    }

    @Test
    void writesHeadersAndTimeToLive() throws Exception {
        var producer = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of()).producer(TOPIC,
            ProducerSettings.of(its -> {
                its.ttlMillis = 1500;
                its.maxPending = 100;
                its.variants = List.of(new MessageVariant(null, -1, Map.of("name", "value")));
            }), sends);
        send(producer, 0, 1);
        var properties = Bytes.of(0x02, 0, 0, 0, 2, 0x26).text("name").text("value").array();
        assertThat(broker.packet()).isEqualTo(
            Bytes.of(0x32).text("t").add(0, 1, properties.length).raw(properties).raw("m0".getBytes()).array());
    }

    @Test
    void saysTheTopicOnceWhenItHasANumber() throws Exception {
        var accepted = Bytes.packet(0x20, new byte[] {0, 0, 3, 0x22, 0, 5});
        var producer = producer(Map.of("topic-alias", "10"), accepted);
        send(producer, 0, 2);
        assertThat(broker.packet()).isEqualTo(Bytes.of(0x32).text("t").add(0, 1, 3, 0x23, 0, 1).raw("m0".getBytes()).array());
        assertThat(broker.packet()).isEqualTo(Bytes.of(0x32).text("").add(0, 2, 3, 0x23, 0, 1).raw("m1".getBytes()).array());
    }

    @Test
    void keepsTheReceiveMaximumOfTheBroker() throws Exception {
        var producer = producer(Map.of(), Bytes.packet(0x20, new byte[] {0, 0, 3, 0x21, 0, 2}));
        var sending = CompletableFuture.runAsync(() -> {
            try {
                send(producer, 0, 5);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        for (int id = 1; id <= 5; id += 2) {
            broker.packet();
            if (id < 5) {
                broker.packet();
                // A stall may give another reason for a moment, such as a socket from which nobody reads.
                Await.until(() -> producer.stallReason().equals("receive maximum 2 reached"),
                    () -> "the reason is '" + producer.stallReason() + "'");
                broker.send(Bytes.of(0x40, 2, 0, id, 0x40, 2, 0, id + 1).array());
            } else {
                broker.send(Bytes.of(0x40, 2, 0, id).array());
            }
        }
        sending.get();
        sends.awaitConfirmed(5);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void refusesAMessageThatIsLargerThanTheBrokerTakes() throws Exception {
        var producer = producer(Map.of(), Bytes.packet(0x20, new byte[] {0, 0, 5, 0x27, 0, 0, 0, 50}));
        producer.send(new Payload(new byte[42]), 0);
        assertThatThrownBy(() -> producer.send(new Payload(new byte[43]), 1)).hasMessageContaining("at most 50 bytes");
        producer.flush();
        assertThat(broker.packet()).hasSize(1 + 48);
    }

    @Test
    void readsAcknowledgementsInEveryFormAndOrderByteForByte() throws Exception {
        var producer = producer(Map.of(), FakeMqttBroker.ACCEPTED);
        send(producer, 0, 8);
        broker.trickle(Bytes.of(0x40, 2, 0, 1)
            .add(0x40, 3, 0, 2, 0x10)
            .add(0x40, 4, 0, 4, 0, 0)
            .add(0x40, 12, 0, 3, 0x97, 8, 0x1f, 0, 5).raw("quota".getBytes())
            .add(0x40, 3, 0, 8, 0x87)
            .add(0x40, 2, 0, 99)
            .add(0x40, 2, 0, 4)
            .add(0x40, 2, 0, 7, 0x40, 2, 0, 6, 0x40, 2, 0, 5).array());
        sends.awaitReported(8);
        assertThat(sends.failures()).containsOnlyKeys(2L, 7L);
        assertThat(sends.failures().get(2L)).hasMessageContaining("quota exceeded").hasMessageContaining("quota")
            .hasMessageContaining("0x97");
        assertThat(sends.violations()).isEmpty();
        assertThat(log.losses()).isEmpty();
    }

    @Test
    void releasesWhatTheBrokerReceivedWithQosTwo() throws Exception {
        var producer = producer(Map.of("qos", "2"), FakeMqttBroker.ACCEPTED);
        send(producer, 0, 3);
        for (int i = 0; i < 3; i++) {
            assertThat(broker.packet()[0]).isEqualTo((byte) 0x34);
        }
        broker.send(Bytes.of(0x50, 2, 0, 1, 0x50, 3, 0, 2, 0x97, 0x50, 2, 0, 3).array());
        assertThat(broker.packet()).containsExactly(0x62, 0, 1);
        assertThat(broker.packet()).containsExactly(0x62, 0, 3);
        assertThat(sends.confirmed()).isZero();
        broker.trickle(Bytes.of(0x70, 2, 0, 1, 0x70, 2, 0, 3).array());
        sends.awaitReported(3);
        assertThat(sends.failures()).containsOnlyKeys(1L);
        assertThat(sends.violations()).isEmpty();
    }

    /** A late acknowledgement would be attributed to another message. */
    @Test
    void givesNoIdAgainThatTheBrokerHasNotAnswered() throws Exception {
        anew(this::givesNoUnansweredIdAgain);
    }

    /** Tries with a fresh broker each time what waits for a short limit, which a standstill may exceed elsewhere. */
    private void anew(Retry.Attempt test) throws Exception {
        Retry.upTo(3, Throwable.class, () -> {
            hangUp();
            listen();
            test.run();
            return broker;
        });
    }

    private void givesNoUnansweredIdAgain() throws Exception {
        broker.timeout(Duration.ofSeconds(5));
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var before = new Sends();
        var after = new Sends();
        var first = connection.producer(TOPIC, PLAIN, before);
        send(first, 0, 2);
        broker.packet();
        broker.packet();
        first.close();
        assertThat(before.unknown()).containsOnlyKeys(0L, 1L);
        broker.send(Bytes.of(0x40, 2, 0, 1).array());
        var second = connection.producer(TOPIC, ProducerSettings.of(its -> its.maxPending = 1000), after);
        send(second, 0, 2);
        byte[] one = broker.packet();
        broker.packet();
        broker.send(Bytes.of(0x40, 2, 0, 2, 0x40, 2, one[4], one[5]).array());
        after.awaitReported(1);
        second.close();
        assertThat(after.confirmed()).isEqualTo(1);
        assertThat(after.unknown()).containsOnlyKeys(1L);
        assertThat(before.violations()).isEmpty();
        assertThat(after.violations()).isEmpty();
    }

    @Test
    void doesNotCallAMessageFailedThatTheBrokerTookAndForgot() throws Exception {
        var producer = producer(Map.of("qos", "2"), FakeMqttBroker.ACCEPTED);
        send(producer, 0, 1);
        broker.packet();
        broker.send(Bytes.of(0x50, 2, 0, 1).array());
        assertThat(broker.packet()).containsExactly(0x62, 0, 1);
        broker.send(Bytes.of(0x70, 3, 0, 1, 0x92).array());
        sends.awaitReported(1);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.unknown().get(0L)).hasMessageContaining("0x92");
    }

    /** One thread waits for the socket, and another one for a free place among the messages in flight. */
    @Test
    void waitsForAPlaceWhileTheSocketIsFull() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of("receive-maximum", "100", "keep-alive", "0"));
        var settings = ProducerSettings.of(its -> its.maxPending = 1000);
        var large = connection.producer(TOPIC, settings, new Sends());
        var small = connection.producer(TOPIC, settings, new Sends());
        var writing = sending(large, new Payload(new byte[1 << 20]));
        Await.until(() -> large.stallReason().contains("does not read"), large::stallReason);
        var waiting = sending(small, new Payload(new byte[1]));
        Await.until(() -> waiting.getState() == Thread.State.TIMED_WAITING, () -> "it is " + waiting.getState());
        broker.hangUp();
        writing.join();
        waiting.join();
    }

    private static Thread sending(Producer producer, Payload payload) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int token = 0;; token++) {
                    producer.send(payload, token);
                    producer.flush();
                }
            } catch (Exception e) {
                // the connection broke
            }
        });
    }

    // ---- receiving

    @Test
    void deliversAndAcknowledgesMessagesThatComeByteForByte() throws Exception {
        consumer(Map.of());
        broker.trickle(new Bytes().raw(Bytes.publish(0x32, "t", 300, "one")).raw(Bytes.publish(0x3a, "t", 301, ""))
            .raw(Bytes.publish(0x30, "t", 0, "three")).raw(Bytes.publish(0x33, "t", 302, "retained before")).array());
        for (int id = 300; id <= 302; id++) {
            assertThat(broker.packet()).containsExactly(0x40, 1, id - 256);
        }
        assertThat(deliveries.texts()).containsExactly("one", "", "three");
        assertThat(deliveries.all()).extracting(Deliveries.Delivery::redelivered).containsExactly(false, true, false);
    }

    @Test
    void skipsThePropertiesOfMessages() throws Exception {
        consumer(Map.of());
        var properties = Bytes.of(0x01, 1, 0x02, 0, 0, 0, 9).add(0x26).text("a").text("b").add(0x03).text("type").array();
        broker.send(Bytes.packet(0x30, new Bytes().text("t").add(properties.length).raw(properties).raw("body".getBytes()).array()));
        deliveries.await(1);
        assertThat(deliveries.texts()).containsExactly("body");
    }

    @Test
    void deliversARepeatedMessageOfQosTwoOnce() throws Exception {
        consumer(Map.of("qos", "2"));
        broker.send(Bytes.publish(0x34, "t", 5, "once"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        broker.send(Bytes.publish(0x3c, "t", 5, "once"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        broker.send(Bytes.of(0x62, 2, 0, 5).array());
        assertThat(broker.packet()).containsExactly(0x70, 0, 5);
        broker.send(Bytes.publish(0x34, "t", 5, "another"));
        assertThat(broker.packet()).containsExactly(0x50, 0, 5);
        assertThat(deliveries.texts()).containsExactly("once", "another");
    }

    @Test
    void acknowledgesWhatCameTogetherInOneWrite() throws Exception {
        consumer(Map.of());
        var together = new Bytes();
        IntStream.rangeClosed(1, 50).forEach(id -> together.raw(Bytes.publish(0x32, "t", id, "m")));
        broker.send(together.array());
        for (int id = 1; id <= 50; id++) {
            assertThat(broker.packet()).containsExactly(0x40, 0, id);
        }
        assertThat(deliveries.count()).isEqualTo(50);
    }

    @Test
    void acknowledgesNothingFromTheFirstMessageOnThatItsListenerLeaves() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var leaving = new Deliveries(delivery -> delivery.text().equals("no") ? Settlement.LEAVE : Settlement.ACCEPT);
        for (boolean mayBlock : new boolean[] {false, true}) {
            var topic = new Destination(Destination.Kind.TOPIC, "t" + mayBlock);
            var consumer = broker.consumer(connection, topic, ConsumerSettings.of(its -> its.mayBlock = mayBlock), leaving);
            broker.send(new Bytes().raw(Bytes.publish(0x32, topic.name(), 1, "yes")).raw(Bytes.publish(0x32, topic.name(), 2, "no"))
                .raw(Bytes.publish(0x32, topic.name(), 3, "yes")).array());
            assertThat(broker.packet()).containsExactly(0x40, 0, 1);
            // the first message may be acknowledged before the reader has handed over the next one
            leaving.await(mayBlock ? 4 : 2);
            broker.close(consumer);
        }
        assertThat(leaving.texts()).containsExactly("yes", "no", "yes", "no");
    }

    @Test
    void refusesALoginOrAClientIdThatTheProtocolCannotCarry() {
        for (String bad : new String[] {"a\0b", "x".repeat(70_000), "\ud800"}) {
            for (int at = 0; at < 3; at++) {
                var settings = new ConnectionSettings("mqtt://h", at == 0 ? bad : "u", at == 1 ? Secret.of(bad) : null,
                    at == 2 ? bad : null, Duration.ofSeconds(1));
                assertThatThrownBy(() -> new MqttDriver().check(settings)).isInstanceOf(IllegalArgumentException.class).message()
                    .contains(new String[] {"user name", "password", "client id"}[at]).doesNotContain(bad).endsWith(".");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x87, 0x8f, 0x00})
    void saysThatTheBrokerRefusesASubscription(int code) throws Exception {
        Connection connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var failure = CompletableFuture.supplyAsync(() -> {
            try {
                connection.consumer(TOPIC, ConsumerSettings.DEFAULT, deliveries);
                return new AssertionError("it subscribed");
            } catch (Exception e) {
                return e;
            }
        });
        byte[] subscribe = broker.packet();
        broker.send(Bytes.packet(0x90, new byte[] {subscribe[1], subscribe[2], 0, (byte) code}));
        byte[] unsubscribe = broker.packet();
        broker.send(Bytes.packet(0xb0, new byte[] {unsubscribe[1], unsubscribe[2], 0, 0}));
        assertThat(failure.get()).isInstanceOf(DriverException.class)
            .hasMessageContaining(code == 0 ? "QoS 0 instead of 1" : "refused the subscription to t");
    }

    @Test
    void refusesAQueueWhereNothingCanBeShared() throws Exception {
        Connection connection = broker.connect(Bytes.packet(0x20, new byte[] {0, 0, 2, 0x2a, 0}), log, Map.of());
        assertThatThrownBy(() -> connection.consumer(new Destination(Destination.Kind.QUEUE, "q"),
            ConsumerSettings.DEFAULT, deliveries))
            .isInstanceOf(DriverException.class).hasMessageContaining("$share/brokermeter/q").hasMessageContaining("topic://");
    }

    // ---- whether a broker of version 3.1.1 has shared subscriptions

    private Connection old(Duration timeout) throws Exception {
        broker.timeout(timeout);
        return broker.connect(Bytes.packet(0x20, new byte[2]), log, Map.of("version", "3.1.1"));
    }

    private CompletableFuture<Consumer> opensAQueue(Connection connection) {
        return FakeMqttBroker.aside(() -> connection.consumer(new Destination(Destination.Kind.QUEUE, "q"), ConsumerSettings.DEFAULT,
            deliveries));
    }

    private void grantOldSubscription(String filter) throws Exception {
        byte[] subscribe = broker.packet();
        assertThat(subscribe[0]).isEqualTo((byte) 0x82);
        assertThat(new String(subscribe, 5, subscribe.length - 6, StandardCharsets.UTF_8)).startsWith(filter);
        broker.send(Bytes.packet(0x90, new byte[] {subscribe[1], subscribe[2], 1}));
    }

    /** Takes part in a trial until its two messages are there: the first for the share, the second not. */
    private List<byte[]> trial() throws Exception {
        broker.accept();
        broker.send(Bytes.packet(0x20, new byte[2]));
        grantOldSubscription("$share/brokermeter/brokermeter/trial/");
        grantOldSubscription("brokermeter/trial/");
        byte[] first = broker.packet();
        byte[] second = broker.packet();
        for (byte[] each : List.of(first, second)) {
            assertThat(each[0]).isEqualTo((byte) 0x32);
            broker.send(Bytes.packet(0x40, Arrays.copyOfRange(each, each.length - 2, each.length)));
        }
        return List.of(first, second);
    }

    /** Reads until the client ends a subscription, before or after it acknowledges what came for it, and hangs up. */
    private void endTrial() throws Exception {
        byte[] packet = broker.packet();
        while (packet[0] == 0x40) {
            packet = broker.packet();
        }
        assertThat(packet[0]).isEqualTo((byte) 0xa2);
        broker.hangUpLast();
    }

    @Test
    void waitsForABrokerThatTakesLongToShowThatItShares() throws Exception {
        var connection = old(Duration.ofSeconds(40));
        var opening = opensAQueue(connection);
        var messages = trial();
        Thread.sleep(1500);
        broker.send(Bytes.packet(0x32, Arrays.copyOfRange(messages.get(0), 1, messages.get(0).length)));
        endTrial();
        grantOldSubscription("$share/brokermeter/q");
        assertThat(opening.get()).isNotNull();
    }

    @Test
    void knowsOfABrokerThatOnlyDeliversWhatIsNotShared() throws Exception {
        var connection = old(Duration.ofSeconds(40));
        var opening = opensAQueue(connection);
        var messages = trial();
        broker.send(Bytes.packet(0x32, Arrays.copyOfRange(messages.get(1), 1, messages.get(1).length)));
        endTrial();
        assertThatThrownBy(opening::get).hasMessageContaining("The broker has no shared subscriptions");
        assertThatThrownBy(() -> opensAQueue(connection).get()).hasMessageContaining("The broker has no shared subscriptions");
    }

    @Test
    void blamesNoBrokerThatDeliversNothing() throws Exception {
        anew(this::blamesNobodyForNothing);
    }

    private void blamesNobodyForNothing() throws Exception {
        var connection = old(Duration.ofSeconds(2));
        var opening = opensAQueue(connection);
        trial();
        assertThatThrownBy(opening::get).hasMessageContaining("The broker did not deliver").hasMessageContaining("within 2000 ms");
        broker.hangUpLast();
        var again = opensAQueue(connection);
        var messages = trial();
        broker.send(Bytes.packet(0x32, Arrays.copyOfRange(messages.get(0), 1, messages.get(0).length)));
        endTrial();
        grantOldSubscription("$share/brokermeter/q");
        assertThat(again.get()).isNotNull();
    }

    private Consumer subscribed(Connection connection, Destination destination, Deliveries to) throws Exception {
        return broker.consumer(connection, destination, ConsumerSettings.DEFAULT, to);
    }

    private static Destination topic(String name) {
        return new Destination(Destination.Kind.TOPIC, name);
    }

    private static byte[] aliased(String topic, int id, String body) {
        return Bytes.packet(0x32, new Bytes().text(topic).add(0, id, 3, 0x23, 0, 1).raw(body.getBytes()).array());
    }

    @Test
    void knowsAnAliasFromBeforeThereWasAnotherConsumer() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of("topic-alias", "4"));
        subscribed(connection, TOPIC, deliveries);
        broker.send(aliased("t", 1, "one"));
        assertThat(broker.packet()).containsExactly(0x40, 0, 1);
        var others = new Deliveries();
        subscribed(connection, topic("u"), others);
        broker.send(aliased("", 2, "two"));
        assertThat(broker.packet()).containsExactly(0x40, 0, 2);
        assertThat(deliveries.texts()).containsExactly("one", "two");
        assertThat(others.count()).isZero();
    }

    /** RabbitMQ replaces the dots of every topic. */
    @Test
    void knowsATopicWhoseDotsTheBrokerMadeSlashes() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        subscribed(connection, topic("a.b"), deliveries);
        var others = new Deliveries();
        subscribed(connection, topic("c.d"), others);
        broker.send(new Bytes().raw(Bytes.publish(0x32, "a/b", 1, "one")).raw(Bytes.publish(0x32, "c/d", 2, "two")).array());
        assertThat(broker.packet()).containsExactly(0x40, 0, 1);
        assertThat(broker.packet()).containsExactly(0x40, 0, 2);
        assertThat(deliveries.texts()).containsExactly("one");
        assertThat(others.texts()).containsExactly("two");
    }

    /** A broker may still send messages after it has confirmed the end of a subscription; unacknowledged, they go to the other members. */
    @Test
    void neitherDeliversNorAcknowledgesWhatComesBehindTheEndOfAShare() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var queued = new Deliveries();
        var consumer = subscribed(connection, new Destination(Destination.Kind.QUEUE, "q"), queued);
        subscribed(connection, TOPIC, deliveries);
        broker.close(consumer);
        broker.send(new Bytes().raw(Bytes.publish(0x32, "q", 1, "late")).raw(Bytes.publish(0x32, "t", 2, "mine")).array());
        assertThat(broker.packet()).containsExactly(0x40, 0, 2);
        assertThat(deliveries.texts()).containsExactly("mine");
        assertThat(queued.count()).isZero();
    }

    // ---- end of the connection

    /** Asks for the broker's version, and accepts the connection that asks. */
    private CompletableFuture<String> asksForTheVersion(Connection connection) throws Exception {
        var asking = CompletableFuture.supplyAsync(connection::broker);
        broker.accept();
        broker.send(FakeMqttBroker.ACCEPTED);
        return asking;
    }

    /** A broker may close the connection of a client that subscribes to a topic that it must not read. */
    @Test
    void losesOnlyTheSessionThatAskedForTheBrokersVersion() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var asking = asksForTheVersion(connection);
        assertThat(broker.packet()[0]).isEqualTo((byte) 0x82);
        broker.hangUp();
        assertThat(asking.get()).isEmpty();
        assertThat(log.losses()).isEmpty();
    }

    /** What is retained comes before the answer to the second request, however long that takes. */
    @Test
    void asksForTheBrokersVersionUntilItIsKnown() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var inVain = CompletableFuture.supplyAsync(connection::broker);
        broker.accept();
        broker.hangUpLast();
        assertThat(inVain.get()).isEmpty();
        var asking = asksForTheVersion(connection);
        broker.grantSubscription();
        byte[] again = broker.packet();
        assertThat(again[0]).isEqualTo((byte) 0x82);
        Thread.sleep(300);
        broker.send(Bytes.publish(0x31, "$SYS/broker/version", 0, "mosquitto version 2.0"));
        broker.send(Bytes.packet(0x90, new byte[] {again[1], again[2], 0, 0}));
        assertThat(broker.packet()[0]).isEqualTo((byte) 0xa2);
        broker.hangUpLast();
        assertThat(asking.get()).isEqualTo("mosquitto 2.0");
        assertThat(connection.broker()).isEqualTo("mosquitto 2.0");
    }

    @Test
    void asksOnceForTheVersionThatABrokerDoesNotTell() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var asking = asksForTheVersion(connection);
        broker.grantSubscription();
        broker.grantSubscription();
        assertThat(broker.packet()[0]).isEqualTo((byte) 0xa2);
        broker.hangUpLast();
        assertThat(asking.get()).isEmpty();
        assertThat(connection.broker()).isEmpty();
    }

    @Test
    void namesTheReasonForWhichTheBrokerEndsTheConnection() throws Exception {
        var producer = producer(Map.of(), FakeMqttBroker.ACCEPTED);
        send(producer, 0, 1);
        broker.send(Bytes.of(0xe0, 10, 0x98, 8, 0x1f, 0, 5).raw("spite".getBytes()).array());
        Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
        assertThat(log.losses().getFirst()).isInstanceOf(DriverException.class)
            .hasMessageContaining("administrative action").hasMessageContaining("spite");
        sends.awaitReported(1);
        assertThat(sends.unknown().get(0L)).isSameAs(log.losses().getFirst());
        assertThat(sends.failures()).isEmpty();
        assertThatThrownBy(() -> send(producer, 1, 2)).hasMessageContaining("administrative action");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00", "f0", "3600", "30050009"})
    void endsWithASentenceWhenTheBrokerSendsNonsense(String hex) throws Exception {
        broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        broker.send(java.util.HexFormat.of().parseHex(hex + "0000000000000000"));
        Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
        assertThat(log.losses().getFirst()).isInstanceOf(DriverException.class).message().endsWith(".");
    }

    @Test
    void hearsThatTheBrokerDoesNotAnswerToPings() throws Exception {
        broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of("keep-alive", "1"));
        assertThat(broker.packet()).containsExactly((byte) 0xc0);
        broker.send(Bytes.of(0xd0, 0).array());
        assertThat(broker.packet()).containsExactly((byte) 0xc0);
        assertThat(log.losses()).isEmpty();
        Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
        assertThat(log.losses().getFirst()).hasMessageContaining("ping");
    }

    /** The consumer prevents answers from being read, but the broker closes a connection on which it receives nothing. */
    @Test
    void goesOnAskingWhileASlowConsumerKeepsTheAnswerFromBeingRead() throws Exception {
        var done = new CountDownLatch(1);
        deliveries = new Deliveries(delivery -> {
            Await.until(() -> done.getCount() == 0, () -> "the test goes on");
            return Settlement.ACCEPT;
        });
        consumer(Map.of("keep-alive", "1"));
        broker.send(Bytes.publish(0x30, "t", 0, "m"));
        for (int ping = 0; ping < 3; ping++) {
            assertThat(broker.packet()).containsExactly((byte) 0xc0);
            broker.send(Bytes.of(0xd0, 0).array());
        }
        done.countDown();
        deliveries.await(1);
        assertThat(broker.packet()).containsExactly((byte) 0xc0);
        assertThat(log.losses()).isEmpty();
    }

    @Test
    void saysGoodbye() throws Exception {
        var connection = broker.connect(FakeMqttBroker.ACCEPTED, log, Map.of());
        var closing = CompletableFuture.runAsync(connection::close);
        assertThat(broker.packet()).containsExactly((byte) 0xe0);
        broker.hangUp();
        closing.get();
        assertThat(log.losses()).isEmpty();
    }
}
