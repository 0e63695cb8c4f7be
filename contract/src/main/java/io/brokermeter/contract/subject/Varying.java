package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.GROUPS_STAY_TOGETHER;
import static io.brokermeter.contract.BrokerTrait.ORDERS_BY_PRIORITY;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.BrokerTrait.SHARES_SHORT_RUNS;
import static io.brokermeter.contract.TestMessages.WINDOW;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.selecting;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.varying;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

/** Tests of messages with groups, priorities, headers and delays. */
public interface Varying extends Subject {

    @Test
    @Needs(Capability.HEADERS)
    default void sendsHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = offers(Capability.PERSISTENCE);
            its.maxPending = WINDOW;
            its.variants = List.of(new MessageVariant(null, -1, Map.of("colour", "red")));
        }), sends), sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        deliveries.await(5);
    }

    @Test
    @Needs(Capability.VARIANTS)
    default void sendsVariantsWithTheirHeaders() throws Exception {
        var queue = queue();
        declare(queue);
        var connection = connect();
        boolean selects = offers(Capability.HEADERS) && offers(Capability.SELECTORS);
        var matching = new Deliveries();
        var rest = new Deliveries();
        connection.consumer(queue, selects ? selecting(underTest().selector()) : auto(), matching);
        if (selects) {
            connection.consumer(queue, selecting("colour = 'blue' OR shape = 'square'"), rest);
        }
        var sends = new Sends();
        var producer = connection.producer(queue, varying(List.of(variant("one", 1, "red", "round"),
            variant("two", 4, "blue", "round"), variant("three", 9, "red", "square"))), sends);
        for (int i = 0; i < 60; i++) {
            var payload = payload(i % 3 + "/" + i);
            payload.variant(i % 3);
            producer.send(payload, i);
            producer.flush();
        }
        sends.awaitConfirmed(60);
        Deliveries.await(60, matching, rest);
        var all = new ArrayList<>(matching.texts());
        all.addAll(rest.texts());
        assertThat(all).containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 60).mapToObj(i -> i % 3 + "/" + i).toList());
        if (selects) {
            assertThat(matching.texts()).hasSize(20).allMatch(text -> text.startsWith("0/"));
        }
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(value = {Capability.VARIANTS, Capability.MESSAGE_GROUPS}, traits = GROUPS_STAY_TOGETHER)
    default void sendsVariantsWithTheirGroups() throws Exception {
        var queue = queue();
        declare(queue);
        var connection = connect();
        var one = receiving(connection, queue);
        var two = receiving(connection, queue);
        var sends = new Sends();
        int sent = 0;
        do {
            // A group stays with its consumer, which may be the same for all groups that arrive before the other consumer wakes up.
            String round = "group-" + sent + "-";
            var groups = IntStream.range(0, 8).mapToObj(i -> new MessageVariant(round + i, -1, Map.of())).toList();
            var producer = connection.producer(queue, varying(groups), sends);
            for (int i = 0; i < 160; i++) {
                var payload = payload(round + i % 8);
                payload.variant(i % 8);
                producer.send(payload, sent++);
                producer.flush();
            }
            sends.awaitConfirmed(sent);
            Deliveries.await(sent, one, two);
        } while (has(SHARES_SHORT_RUNS) && (one.count() == 0 || two.count() == 0) && sent < 3200);
        assertThat(new HashSet<>(one.texts())).doesNotContainAnyElementsOf(two.texts());
        if (has(SHARES_SHORT_RUNS)) {
            assertThat(one.count()).isPositive();
            assertThat(two.count()).isPositive();
        }
    }

    @Test
    @Needs(fixtures = Fixture.PRIORITIES)
    default void deliversABacklogByPriority() throws Exception {
        var queue = queue();
        var connection = connect(underTest().prioritising(settings()));
        connection.declare(queue);
        var early = new Deliveries();
        if (!has(QUEUES_KEEP_MESSAGES)) {
            connection.consumer(queue, auto(), early);
        }
        var sends = new ArrayList<Sends>();
        for (int priority : new int[] {1, 9, 5}) {
            var each = new Sends();
            send(connection.producer(queue, varying(List.of(new MessageVariant(null, priority, Map.of()))), each),
                each, 0, 10, priority + "/");
            sends.add(each);
        }
        sends.forEach(each -> each.awaitConfirmed(10));
        if (has(QUEUES_KEEP_MESSAGES)) {
            connection.consumer(queue, auto(), early);
        }
        early.await(30);
        if (has(QUEUES_KEEP_MESSAGES) && has(ORDERS_BY_PRIORITY)) {
            var expected = new ArrayList<>(numbered("9/", 0, 10));
            expected.addAll(numbered("5/", 0, 10));
            expected.addAll(numbered("1/", 0, 10));
            assertThat(early.texts()).isEqualTo(expected);
        } else {
            assertThat(early.texts()).doesNotHaveDuplicates().hasSize(30);
        }
    }

    @Test
    @Needs(Capability.DELAYED_DELIVERY)
    default void deliversNothingBeforeItsTime() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        // Brokers keep times in milliseconds of the wall clock.
        var arrivals = new ConcurrentLinkedQueue<Long>();
        var deliveries = new Deliveries(delivery -> {
            arrivals.add(System.currentTimeMillis() - Long.parseLong(delivery.text()));
            return Settlement.ACCEPT;
        });
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue,
            ProducerSettings.of(its -> {
                its.persistent = offers(Capability.PERSISTENCE);
                its.delayMillis = underTest().delayMillis();
                its.maxPending = WINDOW;
            }), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("" + System.currentTimeMillis()), i);
            producer.flush();
            Thread.sleep(20);
        }
        sends.awaitConfirmed(10);
        Await.until(() -> arrivals.size() >= 10, () -> arrivals.size() + " of 10 messages were delivered");
        assertThat(arrivals).as("milliseconds after which messages arrived that were to be kept back for " + underTest().delayMillis())
            .allMatch(after -> after >= underTest().delayMillis());
        // One message in time is enough: a delay that is rounded up too far makes all of them late.
        long latest = underTest().delayMillis() + underTest().delayStepMillis() + 300;
        int token = 10;
        long limit = System.nanoTime() + patience().multipliedBy(2).toNanos();
        while (arrivals.stream().noneMatch(after -> after < latest) && System.nanoTime() - limit < 0) {
            producer.send(payload("" + System.currentTimeMillis()), token++);
            producer.flush();
            Thread.sleep(100);
        }
        assertThat(arrivals).as("milliseconds after which messages arrived that were to be kept back for " + underTest().delayMillis()
            + ": none came within " + latest + ", so the delay is rounded to something coarser").anyMatch(after -> after < latest);
        sends.awaitConfirmed(token);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(value = Capability.TIME_TO_LIVE, traits = QUEUES_KEEP_MESSAGES)
    default void deliversNothingThatHasExpired() throws Exception {
        var queue = queue();
        declare(queue);
        var connection = connect();
        var brief = new Sends();
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = offers(Capability.PERSISTENCE);
            its.ttlMillis = 500;
            its.maxPending = WINDOW;
        }), brief), brief, 0, 10, "brief ");
        brief.awaitConfirmed(10);
        var lasting = new Sends();
        send(connection.producer(queue, plain(), lasting), lasting, 0, 1, "lasting ");
        lasting.awaitConfirmed(1);
        // Brokers use the wall clock.
        long end = System.currentTimeMillis() + 1500;
        Await.until(() -> System.currentTimeMillis() > end, () -> "the clock stands still");
        var deliveries = receiving(connection, queue);
        deliveries.await(1);
        assertThat(deliveries.texts()).as("what comes first from a queue after the messages before it have expired")
            .startsWith("lasting 0");
    }

    /** Returns a variant with those of these properties that the driver supports. */
    private MessageVariant variant(String group, int priority, String colour, String shape) {
        return new MessageVariant(offers(Capability.MESSAGE_GROUPS) ? group : null,
            offers(Capability.PRIORITY) ? priority : -1,
            offers(Capability.HEADERS) ? Map.of("colour", colour, "shape", shape) : Map.of());
    }
}
