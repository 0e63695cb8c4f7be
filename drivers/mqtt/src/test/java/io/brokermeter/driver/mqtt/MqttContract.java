package io.brokermeter.driver.mqtt;

import static io.brokermeter.contract.BrokerTrait.DELETES;
import static io.brokermeter.contract.BrokerTrait.KEEPS_UNTIL_ACKNOWLEDGED;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerRows;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of the driver with each broker and both versions of the protocol. */
abstract class MqttContract extends BrokerTest implements BrokerRows {

    MqttContract(BrokerUnderTest broker) {
        super(broker);
    }

    /** Creates a broker of a kind for a version of the protocol. */
    static ThrowawayBroker broker(String kind, String version) {
        return new ThrowawayBroker(new MqttDriver(), kind, "mqtt://HOST:PORT").protocol("MQTT").login("correct horse")
            .parameter("version", version).killing("mosquitto").rareKeepAlives("keep-alive=600")
            .several("mqtt://", "", "")
            .refusedTls("mqtts://HOST:PORT?trust-all=true").tls("mqtts://HOST:PORT", Wish::parameters)
            // The protocol has shared subscriptions instead of queues, and these exist only from their first consumer on.
            .without(QUEUES_KEEP_MESSAGES, KEEPS_UNTIL_ACKNOWLEDGED, DELETES);
    }

    static ConsumerSettings durable(String name) {
        return ConsumerSettings.of(its -> { its.subscription = name; its.durable = true; });
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
        var proxy = proxy();
        String id = "contract-" + UUID.randomUUID();
        var behind = settings(proxy.host(), proxy.port()).withClientId(id).withProperty("consumer-qos", "" + qos);
        var direct = settings().withClientId(id).withProperty("consumer-qos", "" + qos);
        var first = new Deliveries();
        var cut = connect(behind);
        cut.consumer(topic, durable("kept"), first);
        var sends = new Sends();
        var producer = connect().producer(topic, plain(), sends);
        send(producer, sends, 0, 5, "a");
        first.await(5);
        proxy.hold();
        send(producer, sends, 5, 10, "b");
        sends.awaitConfirmed(10);
        proxy.cut();
        proxy.release();
        var again = new Deliveries();
        var connection = connect(direct);
        var consumer = connection.consumer(topic, durable("kept"), again);
        Await.until(() -> again.texts().containsAll(List.of("b5", "b6", "b7", "b8", "b9")), () -> "only these came: " + again.texts());
        assertThat(again.texts()).contains("b5", "b6", "b7", "b8", "b9");
        consumer.close();
        // Artemis may clean up the lost connection after it has accepted the next one, and then deliver once more.
        var repeated = new Deliveries();
        for (int i = 0; i < 100; i++) {
            repeated = new Deliveries();
            connection.consumer(topic, durable("kept"), repeated).close();
            if (repeated.texts().isEmpty()) {
                break;
            }
        }
        assertThat(repeated.texts()).isEmpty();
        connection.unsubscribe(topic, "kept");
    }

    @Test
    void takesRetainedMessagesWhenAskedTo() throws Exception {
        var topic = topic();
        var retaining = settings().withProperty("retain", "true");
        var sends = new Sends();
        var producer = connect(retaining).producer(topic, plain(), sends);
        // One at a time: if the broker does not keep the order, any of them could be the last one.
        for (int i = 0; i < 3; i++) {
            send(producer, sends, i, i + 1, "m");
            sends.awaitConfirmed(i + 1);
        }
        var connection = connect(retaining);
        var with = new Deliveries();
        // Artemis may replace the retained message some time after it has confirmed the new one.
        for (int i = 0; i < 100; i++) {
            with = new Deliveries();
            var consumer = connection.consumer(topic, auto(), with);
            with.await(1);
            if (with.texts().equals(List.of("m2"))) {
                break;
            }
            consumer.close();
        }
        var without = new Deliveries();
        connect().consumer(topic, auto(), without);
        send(producer, sends, 3, 4, "m");
        with.await(2);
        without.await(1);
        assertThat(with.texts()).containsExactly("m2", "m3");
        assertThat(without.texts()).containsExactly("m3");
        // an empty retained message deletes the retained message of the topic
        producer.send(new Payload(new byte[0]), 4);
        producer.flush();
        sends.awaitConfirmed(5);
    }

    @Test
    void servesManyTopicsOnOneConnection() throws Exception {
        var connection = connect();
        var topics = IntStream.range(0, 5).mapToObj(i -> topic()).toList();
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
        var proxy = proxy();
        var topic = topic();
        var connection = connect(settings(proxy.host(), proxy.port()).withProperty("receive-maximum", "10"));
        var sends = new Sends();
        var producer = connection.producer(topic, ProducerSettings.DEFAULT, sends);
        send(producer, sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        assertThat(producer.stallReason()).isEmpty();
        proxy.hold();
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
        // A stall may give another reason for a moment, such as a socket from which nobody reads.
        Await.until(() -> producer.stallReason().equals("receive maximum 10 reached"),
            () -> "the reason is '" + producer.stallReason() + "'");
        proxy.release();
        sending.join();
        sends.awaitConfirmed(100);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
    }

    @Test
    void subscribesWithWildcards() throws Exception {
        var topic = topic();
        var deliveries = new Deliveries();
        connect().consumer(new Destination(topic.kind(), topic.name() + "/+/x"), auto(), deliveries);
        for (String name : List.of("/a/x", "/b/y", "/c/x")) {
            var sends = new Sends();
            send(connect().producer(topic.withSuffix(name), plain(), sends), sends, 0, 1, name);
            sends.awaitConfirmed(1);
        }
        deliveries.await(2);
        assertReceived(deliveries, List.of("/a/x0", "/c/x0"));
    }
}
