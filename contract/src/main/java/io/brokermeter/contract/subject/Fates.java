package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.needs.Offered;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Tests of what the broker does not answer: sends, acknowledgements and requests. */
public interface Fates extends Subject {

    /** A way in which a client does not learn the outcome of its sends. */
    enum Silence {
        /** The broker has the messages, but its confirmations do not arrive. */
        WITHHELD_CONFIRMATIONS,
        /** No more data arrives in either direction, but the connection stays open. */
        MUTE_BROKER,
        /** The broker has the messages, but the connection ends before its confirmations arrive. */
        @Needs(traits = BrokerTrait.ENDS_BY_A_CUT)
        CLOSED_CONNECTION
    }

    /** Creates a producer for a queue of its own, whose first send has been confirmed. */
    private Producer confirming(Connection connection, Sends sends) throws Exception {
        var queue = queue();
        declare(queue);
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 1, "before ");
        sends.awaitConfirmed(1);
        return producer;
    }

    /** Sends five more messages and flushes after each of them. */
    private static void writeFive(Producer producer) throws Exception {
        for (int token = 1; token < 6; token++) {
            producer.send(payload("pending " + token), token);
            producer.flush();
        }
    }

    @ParameterizedTest
    @Offered
    @Needs(value = Capability.CONFIRMATIONS, fixtures = Fixture.NETWORK)
    default void callsTheFateOfASendUnknownThatNobodyKnows(Silence silence) throws Exception {
        var proxy = proxy();
        var connection = connect(settings(proxy.host(), proxy.port()));
        var sends = new Sends();
        var producer = confirming(connection, sends);
        if (silence == Silence.MUTE_BROKER) {
            proxy.swallow();
        } else {
            proxy.swallowAnswers();
        }
        writeFive(producer);
        if (silence != Silence.MUTE_BROKER) {
            Await.until(() -> proxy.carried("pending 5"), () -> "the sends were not written");
        }
        if (silence == Silence.CLOSED_CONNECTION) {
            proxy.cut();
            sends.awaitReported(6);
        }
        producer.close();
        sends.closed();
        assertThat(sends.reported()).as("sends that are reported when close has returned").isEqualTo(6);
        assertThat(sends.failures()).as("sends that were written and never answered: their fate is unknown, they have not failed")
            .isEmpty();
        assertThat(sends.unknown().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(sends.unknown().values()).allSatisfy(cause -> assertThat(cause.getMessage()).isNotBlank());
        assertThat(sends.violations()).isEmpty();
    }

    /** Closes the connection without closing the producer before. */
    @Test
    @Needs(value = Capability.CONFIRMATIONS, fixtures = Fixture.NETWORK)
    default void reportsWhatIsPendingWhenTheConnectionIsClosed() throws Exception {
        var proxy = proxy();
        var connection = connect(settings(proxy.host(), proxy.port()));
        var sends = new Sends();
        var producer = confirming(connection, sends);
        proxy.swallowAnswers();
        writeFive(producer);
        connection.close();
        sends.closed();
        assertThat(sends.reported()).as("sends that are reported when the connection's close has returned: each must be, also when nobody"
            + " closed their producer before").isEqualTo(6);
        assertThat(sends.failures()).as("sends that were written and never answered: their fate is unknown, they have not failed")
            .isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void closesManyProducersWithPendingSendsWithinOneLimit() throws Exception {
        // A stall of the machine makes one measurement too long, so that of many is repeated; limits that add up make each too long.
        var one = closingUnanswered(1);
        var most = one.multipliedBy(2).plusSeconds(10);
        var many = closingUnanswered(16);
        if (many.compareTo(most) >= 0) {
            var again = closingUnanswered(16);
            many = again.compareTo(many) < 0 ? again : many;
        }
        assertThat(many)
            .as("time to close 16 producers with pending sends and their connection to a broker that stopped answering: one limit"
                + " for all of them, not one for each")
            .isLessThan(patience());
        assertThat(many)
            .as("the same, where one producer and its connection close in " + one.toMillis() + " ms: one limit for all of them, not one"
                + " for each")
            .isLessThan(most);
    }

    /**
     * Measures the time to close a number of producers with one pending send each, and their connection, while the broker does not answer.
     */
    private Duration closingUnanswered(int count) throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(proxy.host(), proxy.port()));
        var all = new ArrayList<Sends>();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < count; i++) {
            all.add(new Sends());
            producers.add(connection.producer(queue, plain(), all.get(i)));
            send(producers.get(i), all.get(i), 0, 1, "before ");
            all.get(i).awaitReported(1);
        }
        proxy.swallow();
        for (int i = 0; i < count; i++) {
            producers.get(i).send(payload("pending"), 1);
            producers.get(i).flush();
        }
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            producers.get(i).close();
            all.get(i).closed();
        }
        connection.close();
        var taken = Duration.ofNanos(System.nanoTime() - start);
        for (var sends : all) {
            assertThat(sends.reported()).isEqualTo(2);
            assertThat(sends.failures()).isEmpty();
            if (offers(Capability.CONFIRMATIONS)) {
                assertThat(sends.unknown().keySet()).containsExactly(1L);
            }
            assertThat(sends.violations()).isEmpty();
        }
        return taken;
    }

    @Test
    @Needs(value = Capability.TRANSACTED_SEND, traits = BrokerTrait.ENDS_BY_A_CUT, fixtures = Fixture.NETWORK)
    default void doesNotCallATransactionFailedThatMayBeCommitted() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var arriving = receiving(connect(), queue);
        var sends = new Sends();
        var producer = connect(settings(proxy.host(), proxy.port())).producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("in transaction " + i), i);
        }
        producer.flush();
        Await.holdsWithin(Duration.ofSeconds(1), () -> proxy.carried("in transaction 9"));
        proxy.swallowAnswers();
        long before = proxy.carried();
        var committed = new CompletableFuture<@Nullable Throwable>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                producer.commit();
                committed.complete(null);
            } catch (Throwable e) {
                committed.complete(e);
            }
        });
        Await.until(() -> proxy.carried() > before, () -> "nothing was written for the commit");
        Await.holdsWithin(Duration.ofSeconds(1), () -> arriving.count() == 10);
        proxy.cut();
        assertThat(committed.get(120, TimeUnit.SECONDS)).as("what the commit threw whose answer did not come").isNotNull();
        producer.close();
        sends.closed();
        assertThat(sends.reported()).isEqualTo(10);
        assertThat(sends.confirmed()).isZero();
        if (arriving.count() > 0) {
            assertThat(sends.failures()).as("sends of a transaction that was committed though its answer did not come: their fate"
                + " is unknown, they have not failed").isEmpty();
        }
        assertThat(sends.violations()).isEmpty();
    }

    @ParameterizedTest
    @Offered
    @Needs(fixtures = Fixture.NETWORK)
    default void saysThatTheLastAcknowledgementFailed(AckMode mode) throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var delivered = new AtomicInteger();
        var deliveries = new Deliveries(delivery -> {
            // the acknowledgement of the last message is the first that the broker does not receive; Mosquitto may deliver m14 before m3
            if (delivered.incrementAndGet() == 15 && mode == AckMode.AUTO) {
                proxy.swallow();
            }
            return Settlement.ACCEPT;
        });
        var log = new ConnectionLog();
        var consumer = connect(settings(proxy.host(), proxy.port()), log).consumer(queue, consumer(mode, 10), deliveries);
        fill(queue, 15);
        deliveries.await(15);
        proxy.swallow();
        Exception thrown = null;
        try {
            consumer.close();
        } catch (Exception e) {
            thrown = e;
        }
        // a protocol without an answer to acknowledgements detects this only by keep-alives, which MQTT requests every half minute
        assertThat(thrown != null
            || Await.holdsWithin(patience().multipliedBy(2), () -> !deliveries.failures().isEmpty() || !log.losses().isEmpty()))
            .as("the broker never answered when the last messages were acknowledged and the consumer closed: close must throw, or the"
                + " listener be notified that it failed, unless the loss of the connection was")
            .isTrue();
    }

    /** A request to a connection. */
    enum Request { DECLARE, DELETE, DEPTH, PRODUCER, CONSUMER }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void givesUpWhatTheBrokerDoesNotAnswer() throws Exception {
        var limit = Duration.ofSeconds(15);
        var endless = endless(limit);
        if (!endless.isEmpty()) {
            endless = endless(limit);
        }
        assertThat(endless).as("requests that had not ended " + bound().toSeconds() + " s after the broker stopped answering; each"
            + " needs a time limit, and the connect timeout is " + limit.toSeconds() + " s").isEmpty();
    }

    /** Returns the requests that have not ended within {@link #bound()} from when the broker stopped answering. */
    private List<Request> endless(Duration limit) throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var near = settings(proxy.host(), proxy.port());
        var requests = EnumSet.allOf(Request.class);
        if (!offers(Capability.DEPTH)) {
            requests.remove(Request.DEPTH);
        }
        var asking = new EnumMap<Request, Thread>(Request.class);
        for (var request : requests) {
            // The limit of the requests also limits connecting, and the machine may stall for longer.
            var connection = Retry.upTo(3, Exception.class, () -> connect(
                new ConnectionSettings(near.url(), near.user(), near.password(), near.clientId(), limit, near.properties())));
            asking.put(request, Thread.ofPlatform().daemon().name("contract-asking").unstarted(() -> ask(request, connection, queue)));
        }
        proxy.hold();
        asking.values().forEach(Thread::start);
        long end = System.nanoTime() + bound().toNanos();
        for (var thread : asking.values()) {
            thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        }
        var endless = asking.entrySet().stream().filter(each -> each.getValue().isAlive()).map(Map.Entry::getKey).toList();
        proxy.release();
        return endless;
    }

    private static void ask(Request request, Connection connection, Destination queue) {
        try {
            switch (request) {
                case DECLARE -> connection.declare(queue);
                case DELETE -> connection.delete(queue);
                case DEPTH -> connection.depth(queue);
                case PRODUCER -> connection.producer(queue, plain(), new Sends());
                case CONSUMER -> connection.consumer(queue, auto(), new Deliveries());
            }
        } catch (Exception e) {
            // the expected outcome, where an answer is needed
        }
    }
}
