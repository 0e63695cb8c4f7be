package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.FLAGS_WHAT_WAS_GIVEN_BACK;
import static io.brokermeter.contract.BrokerTrait.KEEPS_UNTIL_ACKNOWLEDGED;
import static io.brokermeter.contract.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Difference;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.TestMessages;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.needs.Offered;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests of messages that a consumer accepts, requeues, rejects or leaves. */
public interface Settlements extends Subject {

    /** A way in which messages are delivered to a consumer that may requeue them. */
    enum Way {
        PUSHED, PUSHED_INLINE,
        @Needs(Capability.POLLING)
        POLLED
    }

    @ParameterizedTest
    @Offered
    @Needs(Capability.REQUEUE)
    default void deliversAgainWhatWasGivenBack(Way way) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 10);
        var givenBack = ConcurrentHashMap.<String>newKeySet();
        var deliveries =
            new Deliveries(delivery -> (delivery.text().equals("m3") || delivery.text().equals("m7")) && givenBack.add(delivery.text())
                ? Settlement.REQUEUE : Settlement.ACCEPT);
        var connection = connect();
        var consumer = connection.consumer(queue, settling(way), deliveries);
        try (var polling = new ConsumerPoller(consumer)) {
            deliveries.await(12);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        var expected = new ArrayList<>(numbered("m", 0, 10));
        expected.addAll(List.of("m3", "m7"));
        assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(expected);
        var seen = new HashSet<String>();
        for (var delivery : deliveries.all()) {
            boolean again = !seen.add(delivery.text());
            if (has(FLAGS_WHAT_WAS_GIVEN_BACK) || !again) {
                assertThat(delivery.redelivered()).as(delivery.text()).isEqualTo(again);
            }
        }
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertEmpty(queue);
    }

    /** A client that gives a message back while others arrive must not mix up what the broker takes back with what it delivers anew. */
    @ParameterizedTest
    @Offered
    @Needs(Capability.REQUEUE)
    default void givesBackWhileOthersArrive(Way way) throws Exception {
        var queue = queue();
        declare(queue);
        var givenBack = ConcurrentHashMap.<String>newKeySet();
        var deliveries = new Deliveries(delivery -> delivery.text().endsWith("5") && givenBack.add(delivery.text())
            ? Settlement.REQUEUE : Settlement.ACCEPT);
        var consumer = connect().consumer(queue, settling(way), deliveries);
        try (var polling = new ConsumerPoller(consumer)) {
            var sends = new Sends();
            TestMessages.send(connect().producer(queue, TestMessages.plain(), sends), sends, 0, 400, "m");
            deliveries.await(440);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        var expected = new ArrayList<>(numbered("m", 0, 400));
        expected.addAll(givenBack);
        assertThat(givenBack).hasSize(40);
        assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertEmpty(queue);
    }

    @ParameterizedTest
    @Offered
    @Needs(Capability.REJECT)
    default void deliversNeverAgainWhatWasRejected(Way way) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 10);
        var deliveries = new Deliveries(
            delivery -> delivery.text().equals("m3") || delivery.text().equals("m9") ? Settlement.REJECT : Settlement.ACCEPT);
        var consumer = connect().consumer(queue, settling(way), deliveries);
        try (var polling = new ConsumerPoller(consumer)) {
            deliveries.await(10);
            assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 10)).isFalse();
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 10));
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertEmpty(queue);
    }

    @ParameterizedTest(name = "{0}, {1}")
    @Offered
    @Needs(traits = KEEPS_UNTIL_ACKNOWLEDGED)
    default void givesBackWhatItsConsumerLeaves(AckMode mode, Way way) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 40);
        var taken = new ConcurrentLinkedQueue<String>();
        var deliveries = new Deliveries(delivery -> {
            if (taken.size() == 12) {
                return Settlement.LEAVE;
            }
            taken.add(delivery.text());
            return Settlement.ACCEPT;
        });
        var connection = connect();
        var consumer = connection.consumer(queue,
            ConsumerSettings.of(its -> {
                its.ackMode = mode;
                its.batch = 5;
                its.mayBlock = way == Way.PUSHED;
                its.polling = way == Way.POLLED;
            }), deliveries);
        try (var polling = new ConsumerPoller(consumer)) {
            deliveries.await(13);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        connection.close();
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertThat(taken).hasSize(12).doesNotHaveDuplicates();
        var rest = new ArrayList<>(numbered("m", 0, 40));
        rest.removeAll(taken);
        var again = receiving(connect(), queue);
        Await.until(patience(), () -> again.count() >= 28, () -> "of 28 messages that were left " + again.count() + " came again; "
            + Difference.between(rest, again.texts(), false));
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> again.count() > 28)).isFalse();
        assertThat(again.texts()).as("what comes again after 12 of 40 messages were accepted and the others left")
            .containsExactlyInAnyOrderElementsOf(rest);
    }

    private static ConsumerSettings settling(Way way) {
        return ConsumerSettings.of(its -> {
            its.mayBlock = way == Way.PUSHED;
            its.settles = true;
            its.polling = way == Way.POLLED;
        });
    }
}
