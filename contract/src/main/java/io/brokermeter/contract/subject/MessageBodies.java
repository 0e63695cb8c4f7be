package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.EMPTY_BODIES;
import static io.brokermeter.contract.BrokerTrait.ORDER;
import static io.brokermeter.contract.TestMessages.WINDOW;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Tests of bodies of any length, and of envelopes beside them. */
public interface MessageBodies extends Subject {

    @Test
    default void takesBodiesOfAnyLengthFromOnePayload() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var random = new Random(3);
        byte[][] arrays = {new byte[64], new byte[3000], new byte[64], new byte[70_000]};
        int[] lengths = {10, 64, 1, 63, 255, 256, 3000, 2, 64, 70_000, 17, 300, 5, 69_999, 1};
        int[] from = {0, 0, 0, 2, 1, 1, 1, 1, 2, 3, 2, 3, 0, 3, 3};
        var payload = new Payload(arrays[0]);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < lengths.length; i++) {
            var array = arrays[from[i]];
            random.nextBytes(array);
            bodies.add(Arrays.copyOf(array, lengths[i]));
            payload.body(array, lengths[i]);
            producer.send(payload, i);
            if (i % 4 == 3) {
                producer.flush();
            }
        }
        for (var array : arrays) {
            Arrays.fill(array, (byte) '!');
        }
        producer.flush();
        assertBodies(inbox.await(lengths.length), bodies);
        sends.awaitConfirmed(lengths.length);
    }

    @Test
    @Needs(Capability.TRANSACTED_SEND)
    default void takesBodiesOfAnyLengthIntoATransaction() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var sends = new Sends();
        var producer = connect().producer(queue, transacted(), sends);
        var array = new byte[1000];
        var random = new Random(4);
        var payload = new Payload(array);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < 10; i++) {
            random.nextBytes(array);
            payload.body(array, 1 + 100 * i);
            bodies.add(payload.copy());
            producer.send(payload, i);
        }
        producer.commit();
        assertBodies(inbox.await(10), bodies);
        assertThat(sends.confirmed()).isEqualTo(10);
    }

    @Test
    @Needs(Capability.ENVELOPE_PROPERTY)
    default void carriesTheEnvelopeBesideTheBody() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, ProducerSettings.of(its -> {
            its.maxPending = WINDOW;
            its.envelopeProperty = true;
            its.variants =
                List.of(offers(Capability.HEADERS) ? new MessageVariant(null, -1, Map.of("colour", "red")) : MessageVariant.PLAIN);
        }), sends);
        var random = new Random(5);
        var envelope = new byte[28];
        var sent = new ArrayList<String>();
        var payload = new Payload(new byte[100]);
        payload.envelope(envelope);
        for (int i = 0; i < 40; i++) {
            random.nextBytes(envelope);
            if (i < 3) {
                Arrays.fill(envelope, (byte) (i - 1));
            }
            random.nextBytes(payload.bytes());
            payload.body(payload.bytes(), i == 0 && has(EMPTY_BODIES) ? 0 : 1 + 2 * i);
            sent.add(HexFormat.of().formatHex(envelope) + " " + HexFormat.of().formatHex(payload.copy()));
            producer.send(payload, i);
        }
        producer.flush();
        var deliveries = inbox.await(40);
        sends.awaitConfirmed(40);
        var arrived = deliveries.all().stream()
            .map(delivery -> HexFormat.of().formatHex(delivery.envelope()) + " " + HexFormat.of().formatHex(delivery.bytes())).toList();
        if (has(ORDER)) {
            assertThat(arrived).isEqualTo(sent);
        } else {
            assertThat(arrived).containsExactlyInAnyOrderElementsOf(sent);
        }
    }

    @Test
    @Needs(traits = EMPTY_BODIES)
    default void deliversAnEmptyBody() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        producer.send(new Payload(new byte[0]), 0);
        producer.send(payload("after"), 1);
        producer.flush();
        assertReceived(inbox.await(2), List.of("", "after"));
    }

    @Test
    @Needs(fixtures = Fixture.FOREIGN_CLIENT)
    default void deliversAForeignMessageWithAnEmptyBody() throws Exception {
        var queue = queue();
        declare(queue);
        underTest().foreign(queue).orElseThrow().call();
        var connection = connect();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var producer = connection.producer(queue, plain(), new Sends());
        producer.send(payload("own"), 0);
        producer.flush();
        deliveries.await(2);
        assertThat(deliveries.texts()).containsExactly("", "own");
        consumer.close();
        assertEmpty(queue);
    }

    @Test
    default void carriesAMebibyte() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var body = new byte[1024 * 1024];
        new Random(2).nextBytes(body);
        for (int i = 0; i < 3; i++) {
            producer.send(new Payload(body), i);
        }
        producer.flush();
        var deliveries = inbox.await(3);
        sends.awaitConfirmed(3);
        deliveries.all().forEach(delivery -> assertThat(delivery.bytes()).isEqualTo(body));
    }

    private void assertBodies(Deliveries deliveries, List<byte[]> bodies) {
        var expected = bodies.stream().map(HexFormat.of()::formatHex).toList();
        var arrived = deliveries.all().stream().map(delivery -> HexFormat.of().formatHex(delivery.bytes())).toList();
        if (has(ORDER)) {
            assertThat(arrived).isEqualTo(expected);
        } else {
            assertThat(arrived).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
