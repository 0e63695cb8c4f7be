package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.FLAGS_REDELIVERY_AFTER_A_CUT;
import static io.brokermeter.contract.BrokerTrait.KEEPS_UNTIL_ACKNOWLEDGED;
import static io.brokermeter.contract.BrokerTrait.ORDER;
import static io.brokermeter.contract.BrokerTrait.ORDERS_WHAT_A_CUT_GIVES_BACK;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.needs.Offered;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests of the acknowledgements of a consumer. */
public interface Acknowledging extends Subject {

    @ParameterizedTest
    @Offered
    default void acknowledgesEverythingByTheEndOfTheConsumer(AckMode mode) throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        @Nullable Consumer early = has(QUEUES_KEEP_MESSAGES) ? null : connection.consumer(queue, consumer(mode, 10), deliveries);
        fill(queue, 25);
        var consumer = early != null ? early : connection.consumer(queue, consumer(mode, 10), deliveries);
        deliveries.await(25);
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 25));
        assertThat(deliveries.failures()).isEmpty();
        assertAllAcknowledged(connection, queue);
        assertThat(deliveries.violations()).isEmpty();
    }

    @ParameterizedTest
    @Offered(except = AckMode.AUTO)
    @Needs(traits = BrokerTrait.ENDS_BY_A_CUT, fixtures = Fixture.NETWORK)
    default void deliversAgainWhatWasNotAcknowledged(AckMode mode) throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        fill(queue, 25);
        var deliveries = new Deliveries();
        connect(settings(proxy.host(), proxy.port())).consumer(queue, consumer(mode, 10), deliveries);
        deliveries.await(25);
        proxy.cut();
        var again = new Deliveries();
        var second = connect();
        second.consumer(queue, auto(), again);
        Await.until(() -> again.texts().containsAll(numbered("m", 20, 25)), () -> "m20 to m24 did not come again, but " + again.texts());
        if (mode == AckMode.TRANSACTED) {
            assertReceived(again, numbered("m", 20, 25), has(ORDER) && has(ORDERS_WHAT_A_CUT_GIVES_BACK));
        } else if (has(ORDER)) {
            // The driver does not wait for the broker's answer to an acknowledgement, which may still have been in flight.
            assertThat(again.texts()).endsWith("m20", "m21", "m22", "m23", "m24");
        }
        if (has(FLAGS_REDELIVERY_AFTER_A_CUT)) {
            var last = again.all().subList(again.count() - 5, again.count());
            assertThat(last).allMatch(Deliveries.Delivery::redelivered);
        }
    }

    @ParameterizedTest
    @Offered
    @Needs(Capability.POLLING)
    default void fetchesMessagesWhenItIsPolled(AckMode mode) throws Exception {
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var connection = connect();
        var consumer = connection.consumer(queue,
            ConsumerSettings.of(its -> { its.ackMode = mode; its.batch = 10; its.polling = true; }), deliveries);
        assertThat(consumer.needsPolling()).isTrue();
        consumer.poll(Duration.ofMillis(50));
        assertThat(deliveries.count()).isZero();
        fill(queue, 25);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 0)).isFalse();
        try (var polling = new ConsumerPoller(consumer)) {
            deliveries.await(25);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 25));
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertAllAcknowledged(connection, queue);
    }

    @Test
    @Needs(Capability.POLLING)
    default void closesAConsumerThatIsBeingPolled() throws Exception {
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var connection = connect();
        var consumer = connection.consumer(queue,
            ConsumerSettings.of(its -> its.polling = true), deliveries);
        var sends = new Sends();
        var producer = connect().producer(queue, plain(), sends);
        try (var polling = new ConsumerPoller(consumer)) {
            send(producer, sends, 0, 50, "m");
            deliveries.await(20);
            consumer.close();
            deliveries.closed();
        }
        sends.awaitConfirmed(50);
        var rest = receiving(connection, queue);
        Deliveries.await(50, deliveries, rest);
        assertThat(deliveries.violations()).isEmpty();
        assertThat(deliveries.count() + rest.count()).isEqualTo(50);
    }

    /**
     * Checks that closing waits for the delivery in progress. Otherwise the last acknowledgement would be lost, or would include a message
     * that was not delivered.
     */
    @ParameterizedTest
    @Offered
    default void closesAConsumerAfterTheDeliveryThatIsUnderWay(AckMode mode) throws Exception {
        // While the machine stalls, the time passes for which a driver waits for a listener.
        Retry.upToThree(() -> closesAfterTheDeliveryThatIsUnderWay(mode));
    }

    private void closesAfterTheDeliveryThatIsUnderWay(AckMode mode) throws Exception {
        var queue = queue();
        declare(queue);
        var underWay = new CountDownLatch(1);
        var ended = new CountDownLatch(1);
        var deliveries = new Deliveries(delivery -> {
            if (delivery.text().equals("m4")) {
                underWay.countDown();
                within(ended);
            }
            return Settlement.ACCEPT;
        });
        var consumer = connect().consumer(queue, ConsumerSettings.of(its -> {
            its.ackMode = mode;
            its.batch = 10;
            its.mayBlock = true;
        }), deliveries);
        var sends = new Sends();
        var producer = connect().producer(queue, plain(), sends);
        var other = connect().producer(queue, plain(), sends);
        int begun;
        int count;
        // the latch is released before the poller is closed, which may be in the delivery
        try (var polling = new ConsumerPoller(consumer); AutoCloseable _ = ended::countDown) {
            // A broker within this JVM may deliver on the sending thread.
            var sending = started(() -> send(producer, sends, 0, 7, "m"));
            within(underWay);
            begun = deliveries.count();
            var closing = started(() -> {
                consumer.close();
                deliveries.closed();
            });
            assertThat(Await.holdsWithin(Duration.ofMillis(100), closing::isDone)).as("closed while m4 was being delivered").isFalse();
            var later = started(() -> send(other, sends, 7, 10, "m"));
            // Some messages now wait behind m4, and others arrive while the consumer closes.
            assertThat(Await.holdsWithin(Duration.ofMillis(100), closing::isDone)).as("closed while m4 was being delivered").isFalse();
            count = deliveries.count();
            ended.countDown();
            finish(closing);
            finish(sending);
            finish(later);
            polling.check();
        }
        sends.awaitConfirmed(10);
        assertThat(count).as("deliveries until m4").isEqualTo(has(ORDER) ? 5 : begun);
        assertThat(deliveries.failures()).isEmpty();
        if (has(KEEPS_UNTIL_ACKNOWLEDGED)) {
            var rest = receiving(connect(), queue);
            Deliveries.await(10, deliveries, rest);
            assertThat(Stream.of(deliveries, rest).flatMap(each -> each.texts().stream()))
                .containsExactlyInAnyOrderElementsOf(numbered("m", 0, 10));
        }
        assertThat(deliveries.violations()).isEmpty();
    }

    private static FutureTask<?> started(Executable action) {
        var task = new FutureTask<@Nullable Void>(() -> {
            try {
                action.execute();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
            return null;
        });
        Thread.ofPlatform().daemon().name("contract-beside").start(task);
        return task;
    }

    /** Waits for the end of a task, and throws an error if it failed. */
    private void finish(FutureTask<?> task) throws Exception {
        try {
            task.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static void within(CountDownLatch latch) {
        try {
            if (!latch.await(120, TimeUnit.SECONDS)) {
                throw new AssertionError("It did not come within 120 s.");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
