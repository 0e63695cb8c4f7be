package io.brokermeter.driver.nats;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.SlowDelivery;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.nats.client.JetStreamApiException;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Acknowledgements, requests, batches and prefetch of JetStream consumers. */
class NatsConsumerTest extends BrokerTest {

    NatsConsumerTest() {
        super(new NatsBroker());
    }

    /** A closing producer hears nothing for a moment, which once shortened the closes of consumers to a millisecond. */
    @Test
    void aProducerThatLosesPatienceLeavesTheCloseOfAConsumerItsTime() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var connection = connect(settings(proxy.host(), proxy.port()));
        var consumer = connection.consumer(queue, auto(), deliveries);
        var producer = connection.producer(queue, plain(), new Sends());
        fill(queue, 5);
        deliveries.await(5);
        proxy.hold();
        producer.send(payload("pending"), 0);
        producer.close();
        var releasing = Thread.ofVirtual().start(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
            proxy.release();
        });
        assertThat(catchThrowable(consumer::close)).isNull();
        releasing.join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysThatADeliveryOutlastedTheClose(boolean polling) throws Exception {
        SlowDelivery.of(this, polling).isReported();
    }

    /** The acknowledgements have been written, but it is unknown whether the server has read them. */
    @Test
    void saysThatSingleAcknowledgementsWereNotTaken() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var consumer = connect(settings(proxy.host(), proxy.port())).consumer(queue, auto(), deliveries);
        fill(queue, 5);
        deliveries.await(5);
        proxy.swallow();
        assertThatThrownBy(consumer::close).isInstanceOf(IOException.class).hasMessageContaining("last acknowledgements");
    }

    @Test
    void saysNothingOfAcknowledgementsWhenNothingCame() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var consumer = connect(settings(proxy.host(), proxy.port())).consumer(queue, auto(), new Deliveries());
        proxy.swallow();
        assertThat(catchThrowable(consumer::close)).isNull();
    }

    private static String stream(Destination queue) {
        return queue.name().replaceAll("[^A-Za-z0-9_-]", "_");
    }

    /** Waits until the number of requests that wait for messages of a queue meets a condition. */
    private void awaitWaiting(Destination queue, LongPredicate wanted) throws Exception {
        try (var connection = NatsBroker.plain(settings().url())) {
            var management = NatsBroker.management(connection);
            Await.until(() -> {
                try {
                    return wanted.test(management.getConsumerInfo(stream(queue), "queue").getNumWaiting());
                } catch (IOException | JetStreamApiException e) {
                    throw new AssertionError(e);
                }
            }, () -> "the number of requests that wait is another");
        }
    }

    /** Removes the consumer of a queue once at least {@code waiting} requests wait for messages there. */
    private void remove(Destination queue, int waiting) throws Exception {
        awaitWaiting(queue, requests -> requests >= waiting);
        try (var connection = NatsBroker.plain(settings().url())) {
            NatsBroker.management(connection).deleteConsumer(stream(queue), "queue");
        }
    }

    /**
     * Creates a polling consumer.
     *
     * @param limit the connect timeout, which also limits how long requests may go unanswered
     */
    private Consumer polling(Destination queue, Duration limit) throws Exception {
        declare(queue);
        var own = settings();
        var settings = new ConnectionSettings(own.url(), own.user(), own.password(), null, limit);
        return connect(settings).consumer(queue, ConsumerSettings.of(its -> its.polling = true), new Deliveries());
    }

    /** Guards against a poll that repeats its request as fast as the server answers that there is no consumer. */
    @Test
    void aPollEndsWhenItsConsumerIsGone() throws Exception {
        var queue = queue();
        var consumer = polling(queue, Duration.ofSeconds(15));
        consumer.poll(Duration.ofMillis(50));
        remove(queue, 0);
        Await.until(() -> catchThrowable(() -> consumer.poll(Duration.ofMillis(100))) instanceof DriverException,
            () -> "no poll says that the consumer is gone");
    }

    @Test
    void aPollUnderWayEndsWhenItsConsumerIsRemoved() throws Exception {
        var queue = queue();
        var consumer = polling(queue, Duration.ofSeconds(20));
        var poll = new FutureTask<@Nullable Throwable>(() -> catchThrowable(() -> consumer.poll(Duration.ofSeconds(100))));
        Thread.ofPlatform().daemon().start(poll);
        remove(queue, 1);
        assertThat(poll.get(60, TimeUnit.SECONDS)).isInstanceOf(DriverException.class);
    }

    /** The server delivers again only after an hour what nobody acknowledges or gives back. */
    private static ConnectionSettings patient(ConnectionSettings settings) {
        return settings.withProperty("ack-wait", "3600");
    }

    /** What arrived during the close was dropped, and came again only after the server's wait. */
    @Test
    void aReceiverThatPollsGivesBackWhatWasOnItsWay() throws Exception {
        unlessHeldUp(this::givesBackWhatIsHeldBeforeAPollingReceiver);
    }

    /** A part of a test that notes the time in nanoseconds that its longest close took. */
    private interface Closing {

        void run(AtomicLong longestClose) throws Exception;
    }

    /**
     * Runs a part of a test, and again, at most twice, when a close took a second or more and something was missing: the driver has given
     * up by then, since the machine stood still.
     */
    private static void unlessHeldUp(Closing part) throws Exception {
        AtomicLong longestClose = new AtomicLong();
        for (int left = 2;; left--) {
            longestClose.set(0);
            try {
                part.run(longestClose);
                return;
            } catch (AssertionError e) {
                if (left == 0 || longestClose.get() < TimeUnit.SECONDS.toNanos(1)) {
                    throw e;
                }
            }
        }
    }

    private static void close(Consumer consumer, AtomicLong longest) throws Exception {
        long begun = System.nanoTime();
        consumer.close();
        longest.accumulateAndGet(System.nanoTime() - begun, Math::max);
    }

    private void givesBackWhatIsHeldBeforeAPollingReceiver(AtomicLong longestClose) throws Exception {
        var wire = proxy();
        var queue = queue();
        declare(queue);
        fill(queue, 1);
        var polling = ConsumerSettings.of(its -> its.polling = true);
        var deliveries = new Deliveries();
        var consumer = connect(patient(settings(wire.host(), wire.port()))).consumer(queue, polling, deliveries);
        // returns with the message, while its request stays open
        while (deliveries.count() == 0) {
            consumer.poll(Duration.ofSeconds(4));
        }
        wire.hold();
        fill(queue, 5);
        var close = new FutureTask<@Nullable Void>(() -> {
            close(consumer, longestClose);
            return null;
        });
        Thread.ofPlatform().daemon().start(close);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        wire.release();
        close.get(60, TimeUnit.SECONDS);
        var rest = new Deliveries();
        try (var _ = new ConsumerPoller(connect(patient(settings())).consumer(queue, polling, rest))) {
            Await.until(() -> Set.copyOf(rest.texts()).size() == 5, () -> "only " + rest.texts() + " came");
        }
    }

    /**
     * The server had counted messages as delivered that it could not send any more, in more than every second run, and delivered nothing for
     * its whole wait where they were as many as may be unacknowledged.
     */
    @RepeatedTest(2)
    void theLastReceiverGivesBackWhatTheServerHadOnItsWay() throws Exception {
        unlessHeldUp(this::givesBackWhatTheLastReceiverDidNotGet);
    }

    private void givesBackWhatTheLastReceiverDidNotGet(AtomicLong longestClose) throws Exception {
        var queue = queue();
        declare(queue);
        int count = 5_000;
        var filling = new FutureTask<@Nullable Void>(() -> {
            fill(queue, count);
            return null;
        });
        Thread.ofPlatform().daemon().start(filling);
        List<String> first = new ArrayList<>();
        while (!filling.isDone()) {
            var deliveries = new Deliveries();
            var consumer = connect(patient(settings())).consumer(queue, auto(), deliveries);
            Await.until(() -> deliveries.count() > 0 || filling.isDone(), () -> "nothing came");
            close(consumer, longestClose);
            first.addAll(deliveries.texts());
        }
        filling.get();
        var rest = new Deliveries();
        connect(patient(settings())).consumer(queue, auto(), rest);
        Await.until(() -> first.size() + rest.count() >= count && union(first, rest) == count,
            () -> "of " + count + " messages " + union(first, rest) + " came");
        // nats-server 2.9 itself may deliver a message twice that was given back
        assertThat(first.size() + rest.count() - count).as("second deliveries").isBetween(0, 5);
    }

    private static long union(List<String> first, Deliveries rest) {
        return Stream.concat(first.stream(), rest.texts().stream()).distinct().count();
    }

    private static ConsumerSettings batches(int batch, int prefetch, boolean polling) {
        return ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = batch;
            its.prefetch = prefetch;
            its.polling = polling;
        });
    }

    /** Guards against receivers that each wait for the rest of a batch while the server waits for an acknowledgement. */
    @Test
    void receiversThatShareALimitDoNotWaitForEachOther() throws Exception {
        var queue = queue();
        declare(queue);
        Deliveries[] all = {new Deliveries(), new Deliveries(), new Deliveries()};
        for (var each : all) {
            connect().consumer(queue, batches(10, 10, false), each);
        }
        fill(queue, 45);
        Deliveries.await(45, all);
        assertThat(all).flatExtracting(Deliveries::all).noneMatch(Deliveries.Delivery::redelivered);
    }

    @Test
    void receiversThatPollDoNotWaitForEachOther() throws Exception {
        var queue = queue();
        Deliveries[] all = {new Deliveries(), new Deliveries()};
        var one = connect().consumer(queue, batches(10, 10, true), all[0]);
        var two = connect().consumer(queue, batches(10, 10, true), all[1]);
        fill(queue, 5);
        poll(one, 5, all[0]);
        awaitWaiting(queue, waiting -> waiting == 0);
        fill(queue, 5);
        poll(two, 5, all[1]);
        assertThat(all).extracting(Deliveries::count).containsExactly(5, 5);
        fill(queue, 10);
        try (var first = new ConsumerPoller(one); var second = new ConsumerPoller(two)) {
            Deliveries.await(20, all);
            first.check();
            second.check();
        }
        assertThat(all).flatExtracting(Deliveries::all).noneMatch(Deliveries.Delivery::redelivered);
    }

    private static void poll(Consumer consumer, int messages, Deliveries deliveries) throws Exception {
        while (deliveries.count() < messages) {
            consumer.poll(Duration.ofMillis(50));
        }
    }

    /** With a lower limit, receivers could wait to complete batches while the server waits for acknowledgements of incomplete ones. */
    @Test
    void theServerLeavesRoomForTheBatchesOfTwentyReceivers() throws Exception {
        var queue = queue();
        connect().consumer(queue, batches(20_000, -1, false), new Deliveries());
        try (var connection = NatsBroker.plain(settings().url())) {
            var found = NatsBroker.management(connection).getConsumerInfo(stream(queue), "queue");
            assertThat(found.getConsumerConfiguration().getMaxAckPending()).isEqualTo(400_000);
        }
    }

    /**
     * With a limit of 10,000, the server would redeliver messages that a slow listener has not reached within 30 s. With batches of ten, a
     * limit of 200 would be too low, since 45 receivers can hold back as many messages in incomplete batches. A server ends the connection
     * of a client for which 64 MiB wait.
     */
    @ParameterizedTest
    @CsvSource({"true, 1, -1, 200, 0", "false, 1, -1, 10000, 0", "true, 1, 3000, 3000, 0", "true, 10, -1, 2000, 0",
        "true, 100, -1, 10000, 0", "true, 1000, -1, 20000, 0", "false, 10, -1, 10000, 0", "false, 1, -1, 1677, 10000",
        "true, 1, -1, 16, 1000000", "false, 100, -1, 100, 1000000", "false, 1, 3000, 3000, 1000000"})
    void theServerPushesFewMessagesAheadOfAListenerThatMayTakeLong(boolean mayBlock, int batch, int prefetch,
            int pending, int bytes) throws Exception {
        var queue = queue();
        connect().consumer(queue, ConsumerSettings.of(its -> {
            its.mayBlock = mayBlock;
            its.ackMode = batch > 1 ? AckMode.BATCH : AckMode.AUTO;
            its.batch = batch;
            its.prefetch = prefetch;
            its.messageBytes = bytes;
        }), new Deliveries());
        try (var connection = NatsBroker.plain(settings().url())) {
            var found = NatsBroker.management(connection).getConsumerInfo(stream(queue), "queue");
            assertThat(found.getConsumerConfiguration().getMaxAckPending()).isEqualTo(pending);
        }
    }

    /** Guards against requests for up to 100 messages at a time. */
    @Test
    void aPollAsksForFewMessagesWhereTheListenerTakesLong() throws Exception {
        assertThat(requests(1, 2)).startsWith(10, 10, 10, 10).containsOnly(10);
    }

    /** Ten messages per round trip would limit the throughput over a long distance. */
    @Test
    void aPollAsksForMoreMessagesWhileTheListenerIsQuick() throws Exception {
        assertThat(requests(3600, 0)).startsWith(10, 20, 40, 80);
    }

    /**
     * Returns the number of messages in each request of a poll for 150 messages, each of which takes the listener {@code millis} ms. As many
     * fill each of the requests that are expected, so that no poll and no close waits for the end of one.
     */
    private List<Integer> requests(int ackWait, long millis) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 150);
        List<Integer> requests = new CopyOnWriteArrayList<>();
        try (var tap = NatsBroker.plain(settings().url())) {
            tap.createDispatcher(request -> {
                var words = new String(request.getData(), StandardCharsets.US_ASCII).split("[:,]");
                requests.add(Integer.parseInt(words[1]));
            }).subscribe("$JS.API.CONSUMER.MSG.NEXT." + stream(queue) + ".queue");
            tap.flush(Duration.ofSeconds(20));
            var deliveries = new Deliveries(_ -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                return Settlement.ACCEPT;
            });
            var consumer = connect(settings().withProperty("ack-wait", Integer.toString(ackWait))).consumer(queue,
                ConsumerSettings.of(its -> {
                    its.mayBlock = true;
                    its.polling = true;
                }), deliveries);
            while (deliveries.count() < 150) {
                // returns with the last message; a shorter poll would end in a standstill and make another request
                consumer.poll(Duration.ofSeconds(10));
            }
            Await.until(() -> requests.size() >= 4, () -> "requests for " + requests);
        }
        return requests;
    }

    @Test
    void refusesAPrefetchBelowTheBatch() {
        assertThatThrownBy(() -> driver().check(settings(), queue(), batches(10, 9, false))).isInstanceOf(Refusal.class)
            .hasMessageContaining("prefetch of 9 is smaller than the 10 messages");
        driver().check(settings(), queue(), batches(10, 10, false));
        driver().check(settings().withProperty("mode", "core"), queue(), batches(10, 9, false));
    }

    /** Acknowledged messages stay in the stream, but must not be counted. */
    @Test
    void theDepthOfAStreamThatKeepsEverythingIsWhatTheQueueHasNotReceived() throws Exception {
        var queue = queue();
        try (var connection = NatsBroker.plain(settings().url())) {
            NatsBroker.management(connection).addStream(StreamConfiguration.builder().name(stream(queue)).subjects(queue.name())
                .retentionPolicy(RetentionPolicy.Limits).storageType(StorageType.Memory).build());
        }
        fill(queue, 10);
        var connection = connect();
        assertThat(connection.depth(queue)).as("before anybody received from it").hasValue(10);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        deliveries.await(10);
        consumer.close();
        fill(queue, 3);
        awaitDepth(connection, queue, 3);
    }
}
