package io.brokermeter.contract.subject;

import static io.brokermeter.contract.BrokerTrait.DELETES;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
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
