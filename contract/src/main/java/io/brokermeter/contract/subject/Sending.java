package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.ORDER;
import static io.brokermeter.contract.BrokerTrait.TELLS_MISSING_CREDIT;
import static io.brokermeter.contract.TestMessages.WINDOW;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.unlimited;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Tests of the outcome of sends and of their delivery. */
public interface Sending extends Subject {

    @Test
    default void deliversEveryMessageWithItsBytes() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var random = new Random(1);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < 50; i++) {
            var body = new byte[1 + random.nextInt(3000)];
            random.nextBytes(body);
            bodies.add(body);
            producer.send(new Payload(body.clone()), i);
        }
        producer.flush();
        deliveries.await(50);
        sends.awaitConfirmed(50);
        var arrived = deliveries.all().stream().map(Deliveries.Delivery::bytes).toList();
        if (!has(ORDER)) {
            bodies.sort(Arrays::compare);
            arrived = arrived.stream().sorted(Arrays::compare).toList();
        }
        for (int i = 0; i < 50; i++) {
            assertThat(arrived.get(i)).isEqualTo(bodies.get(i));
            assertThat(deliveries.all().get(i).redelivered()).isFalse();
        }
    }

    @Test
    default void takesWhatItMustKeepBeforeSendReturns() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var payload = new Payload(new byte[16]);
        for (int i = 0; i < 20; i++) {
            Arrays.fill(payload.bytes(), (byte) ('a' + i));
            producer.send(payload, i);
        }
        Arrays.fill(payload.bytes(), (byte) '!');
        producer.flush();
        assertReceived(inbox.await(20),
            IntStream.range(0, 20).mapToObj(i -> String.valueOf((char) ('a' + i)).repeat(16)).toList());
    }

    @Test
    @Needs(value = Capability.CONFIRMATIONS, fixtures = Fixture.NETWORK)
    default void confirmsOnlyAfterTheBrokerHasIt() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var inbox = inbox(queue);
        var connection = connect(settings(proxy.host(), proxy.port()));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 1, "first ");
        sends.awaitConfirmed(1);
        proxy.hold();
        producer.send(payload("held back"), 1);
        producer.flush();
        assertThat(Await.holdsWithin(Duration.ofMillis(500), () -> sends.reported() > 1)).isFalse();
        proxy.release();
        sends.awaitConfirmed(2);
        assertReceived(inbox.await(2), List.of("first 0", "held back"));
    }

    @Test
    default void everyConfirmedMessageCanBeReceivedLater() throws Exception {
        var queue = queue();
        var first = connect();
        first.declare(queue);
        var inbox = inbox(queue);
        var sends = new Sends();
        var producer = first.producer(queue, plain(), sends);
        send(producer, sends, 0, 200, "m");
        sends.awaitConfirmed(200);
        first.close();
        assertReceived(inbox.await(200), numbered("m", 0, 200));
    }

    @Test
    default void reportsEachTokenExactlyOnceAndKeepsTheOrderOfAProducer() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 5000, "");
        sends.awaitConfirmed(5000);
        deliveries.await(5000);
        producer.close();
        assertThat(sends.violations()).isEmpty();
        assertThat(sends.reported()).isEqualTo(5000);
        assertReceived(deliveries, numbered("", 0, 5000));
        assertThat(deliveries.violations()).isEmpty();
    }

    @Test
    default void takesMoreUnconfirmedSendsThanWasHinted() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            ProducerSettings.DEFAULT, sends);
        for (int i = 0; i < 5000; i++) {
            producer.send(payload("" + i), i);
        }
        producer.flush();
        sends.awaitConfirmed(5000);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs({Capability.PERSISTENCE, Capability.MESSAGE_IDS, Capability.TIMESTAMPS, Capability.MESSAGE_GROUPS, Capability.TIME_TO_LIVE})
    default void sendsPersistentMessagesWithIdTimestampGroupAndTimeToLive() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            ProducerSettings.of(its -> {
                its.persistent = true;
                its.ttlMillis = 60_000;
                its.messageIds = true;
                its.timestamps = true;
                its.maxPending = WINDOW;
                its.variants = List.of(new MessageVariant("group", -1, Map.of()));
            }), sends);
        send(producer, sends, 0, 100, "p");
        sends.awaitConfirmed(100);
        assertReceived(inbox.await(100), numbered("p", 0, 100));
    }

    @Test
    default void servesAHundredProducers() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var all = new ArrayList<Sends>();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < 100; i++) {
            all.add(new Sends());
            producers.add(connection.producer(queue, plain(), all.get(i)));
        }
        for (int token = 0; token < 5; token++) {
            for (int i = 0; i < 100; i++) {
                producers.get(i).send(payload(i + "/" + token), token);
                producers.get(i).flush();
            }
        }
        deliveries.await(500);
        all.forEach(sends -> sends.awaitConfirmed(5));
        producers.forEach(Producer::close);
        assertThat(deliveries.texts()).doesNotHaveDuplicates().hasSize(500);
        all.forEach(sends -> assertThat(sends.violations()).isEmpty());
    }

    @Test
    @Needs(traits = TELLS_MISSING_CREDIT, fixtures = Fixture.NETWORK)
    default void saysWhyItStandsStillWithoutCredit() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(proxy.host(), proxy.port()));
        var sends = new Sends();
        var producer = connection.producer(queue, unlimited(), sends);
        send(producer, sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        assertThat(producer.stallReason()).isEmpty();
        proxy.hold();
        var body = new Payload(new byte[1024]);
        int total = 3000;
        var sending = Thread.ofVirtual().start(() -> {
            try {
                for (int token = 10; token < total; token++) {
                    producer.send(body, token);
                    producer.flush();
                }
            } catch (Exception e) {
                sends.failed(total, e);
            }
        });
        // A stall may give another reason for a moment, such as a socket from which nobody reads.
        Await.until(() -> producer.stallReason().contains("credit"), () -> "the reason is '" + producer.stallReason() + "'");
        proxy.release();
        sending.join();
        sends.awaitConfirmed(total);
        assertThat(sends.failures()).isEmpty();
        // A broker may renew the credit a moment after its last confirmation.
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
    }
}
