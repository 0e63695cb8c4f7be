package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.DELETES;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;

/** Tests of requests: declaring and deleting destinations, and counting messages. */
public interface Declaring extends Subject {

    @Test
    default void tellsWhetherItCreatedADestination() throws Exception {
        var queue = queue();
        var connection = connect();
        var created = connection.declare(queue);
        assertThat(connection.declare(queue)).isFalse();
        if (created) {
            connection.delete(queue);
            assertThat(connection.declare(queue)).isTrue();
        }
        connection.delete(queue);
    }

    @Test
    @Needs(traits = {DELETES, QUEUES_KEEP_MESSAGES})
    default void deletesADestinationWithAllItHolds() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 7, "m");
        sends.awaitConfirmed(7);
        producer.close();
        if (offers(Capability.DEPTH)) {
            // A broker may register a confirmed message a moment later, and would then put it into the new queue.
            awaitDepth(connection, queue, 7);
        }
        connection.delete(queue);
        connection.declare(queue);
        if (offers(Capability.DEPTH)) {
            assertThat(connection.depth(queue)).as("depth of a queue that was deleted and declared again").hasValue(0);
        }
        assertEmpty(queue);
    }

    @Test
    default void takesADestinationThatIsNotThereForAnEmptyOne() throws Exception {
        var queue = queue();
        var connection = connect();
        try {
            connection.delete(queue);
            if (offers(Capability.DEPTH)) {
                assertThat(connection.depth(queue).orElse(0)).as("depth of a queue that was never there").isZero();
            }
        } catch (Exception e) {
            throw new AssertionError("To delete or to count what is not there must do nothing, and fails: " + e, e);
        }
        connection.declare(queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 3, "m");
        sends.awaitConfirmed(3);
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

    @Test
    @Needs(Capability.DEPTH)
    default void countsWaitingMessages() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        fill(queue, 7);
        // A broker may count confirmed and acknowledged messages a moment later.
        awaitDepth(connection, queue, 7);
        receive(queue, 7);
        awaitDepth(connection, queue, 0);
    }
}
