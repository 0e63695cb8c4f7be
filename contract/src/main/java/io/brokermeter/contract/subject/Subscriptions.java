package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.WINDOW;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.selecting;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Tests of consumers of queues and topics, alone and together. */
public interface Subscriptions extends Subject {

    @Test
    default void sharesAQueueAmongItsConsumers() throws Exception {
        var queue = queue();
        var connection = connect(underTest().spreading());
        var one = receiving(connection, queue);
        var two = receiving(connection, queue);
        var sends = new Sends();
        assertShared(connection.producer(queue, plain(), sends), sends, one, two);
    }

    @Test
    @Needs(Capability.TOPICS)
    default void copiesATopicToEachSubscriber() throws Exception {
        var topic = topic();
        var connection = connect();
        connection.declare(topic);
        var one = receiving(connection, topic);
        var two = receiving(connection, topic);
        var sends = new Sends();
        send(connection.producer(topic, plain(), sends), sends, 0, 50, "m");
        one.await(50);
        two.await(50);
        assertReceived(one, numbered("m", 0, 50));
        assertReceived(two, numbered("m", 0, 50));
    }

    @Test
    @Needs(value = Capability.TOPICS, fixtures = Fixture.DURABLE_SUBSCRIPTION_OF_A_CLIENT)
    default void keepsADurableSubscriptionUntilItIsRemoved() throws Exception {
        var settings = settings().withClientId("contract-" + UUID.randomUUID());
        var topic = topic();
        var durable = ConsumerSettings.of(its -> { its.subscription = "kept"; its.durable = true; });
        try (var first = connect(settings)) {
            first.declare(topic);
            first.consumer(topic, durable, new Deliveries()).close();
        }
        var sends = new Sends();
        send(connect().producer(topic, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var second = connect(settings);
        var deliveries = new Deliveries();
        var consumer = second.consumer(topic, durable, deliveries);
        deliveries.await(10);
        assertReceived(deliveries, numbered("m", 0, 10));
        consumer.close();
        second.unsubscribe(topic, "kept");
        send(connect().producer(topic, plain(), sends), sends, 10, 20, "m");
        sends.awaitConfirmed(20);
        var fresh = new Deliveries();
        var again = second.consumer(topic, durable, fresh);
        var marker = connect().producer(topic, plain(), new Sends());
        marker.send(payload("marker"), 0);
        marker.flush();
        fresh.await(1);
        assertThat(fresh.texts()).containsExactly("marker");
        again.close();
        second.unsubscribe(topic, "kept");
    }

    @Test
    @Needs({Capability.TOPICS, Capability.SHARED_SUBSCRIPTIONS})
    default void sharesASubscriptionAmongItsConsumers() throws Exception {
        // Brokers may identify a shared subscription only by its name, and other classes use the same broker.
        sharesSubscription(ConsumerSettings.of(its -> {
            its.subscription = "shared-" + UUID.randomUUID();
            its.shared = true;
        }));
    }

    @Test
    @Needs({Capability.TOPICS, Capability.SHARED_SUBSCRIPTIONS, Capability.DURABLE_SUBSCRIPTIONS})
    default void sharesADurableSubscriptionAmongItsConsumers() throws Exception {
        var name = "both-" + UUID.randomUUID();
        var topic = sharesSubscription(ConsumerSettings.of(its -> {
            its.subscription = name;
            its.durable = true;
            its.shared = true;
        }));
        connect().unsubscribe(topic, name);
    }

    private Destination sharesSubscription(ConsumerSettings shared) throws Exception {
        var topic = topic();
        connect().declare(topic);
        var one = new Deliveries();
        var two = new Deliveries();
        var alone = new Deliveries();
        var consumers = List.of(connect().consumer(topic, shared, one), connect().consumer(topic, shared, two));
        connect().consumer(topic, auto(), alone);
        var sends = new Sends();
        assertShared(connect(underTest().spreading()).producer(topic, plain(), sends), sends, one, two);
        alone.await(200);
        for (Consumer consumer : consumers) {
            consumer.close();
        }
        return topic;
    }

    @Test
    @Needs({Capability.HEADERS, Capability.SELECTORS})
    default void deliversOnlyWhatTheSelectorMatches() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var matching = new Deliveries();
        connection.consumer(queue, selecting(underTest().selector()), matching);
        var sends = new Sends();
        var other = new Sends();
        var red = connection.producer(queue, marked("red"), sends);
        var blue = connection.producer(queue, marked("blue"), other);
        for (int i = 0; i < 20; i++) {
            blue.send(payload("b" + i), i);
            blue.flush();
            red.send(payload("r" + i), i);
            red.flush();
        }
        sends.awaitConfirmed(20);
        other.awaitConfirmed(20);
        matching.await(20);
        assertReceived(matching, numbered("r", 0, 20));
        var rest = new Deliveries();
        connection.consumer(queue, selecting("colour <> 'red'"), rest);
        rest.await(20);
        assertReceived(rest, numbered("b", 0, 20));
        assertThat(matching.count()).isEqualTo(20);
    }

    private static ProducerSettings marked(String colour) {
        return ProducerSettings.of(its -> {
            its.maxPending = WINDOW;
            its.variants = List.of(new MessageVariant(null, -1, Map.of("colour", colour, "shape", "round")));
        });
    }
}
