package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Tests of messages that the broker refuses because they are too many or too large. */
public interface BrokerLimits extends Subject {

    @Test
    @Needs(value = Capability.CONFIRMATIONS, fixtures = Fixture.FULL_QUEUE)
    default void reportsARefusedMessageAsFailed() throws Exception {
        var queue = underTest().refusing(queue()).orElseThrow().call();
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = offers(Capability.PERSISTENCE);
            its.maxPending = 10;
        }),
            sends);
        int sent = 0;
        boolean thrown = false;
        while (sent < 5000 && !thrown) {
            int next = sent;
            // One message at a time: a full broker may also withdraw credit, and the client then blocks.
            Await.until(() -> sends.reported() >= next, () -> "no report of " + (next - 1));
            if (!sends.failures().isEmpty()) {
                break;
            }
            try {
                producer.send(new Payload(Arrays.copyOf(("m" + sent + " ").getBytes(StandardCharsets.UTF_8), 1024)), sent);
                sent++;
                producer.flush();
            } catch (Exception e) {
                thrown = true;
            }
        }
        // A broker may withdraw credit as well, so that the last messages are not even sent; closing reports them.
        producer.close();
        sends.closed();
        assertThat(sends.reported()).isEqualTo(sent);
        var deliveries = new Deliveries();
        var consumer = connect().consumer(queue, auto(), deliveries);
        var confirmed = sends.confirmedTokens().stream().map(token -> "m" + token).toList();
        Await.holdsWithin(patience(), () -> deliveries.count() >= confirmed.size());
        consumer.close();
        var there = deliveries.texts().stream().map(text -> text.substring(0, text.indexOf(' '))).toList();
        assertThat(there).as("messages in a queue that refuses what is too much; a message that was refused must be reported as"
            + " failed and not as confirmed, and one that is confirmed must be there").containsAll(confirmed);
        assertThat(thrown || !sends.failures().isEmpty())
            .as("the queue refuses what is too much, so of " + sent + " sends one must have failed").isTrue();
        var failed = sends.failures().keySet().stream().map(token -> "m" + token).toList();
        assertThat(there).as("messages that were reported as failed must not be delivered").filteredOn(failed::contains).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    /** Sends a message that the client accepts, so that the broker itself refuses it. */
    @Test
    @Needs(value = Capability.CONFIRMATIONS, fixtures = Fixture.BOUNDED_QUEUE)
    default void reportsAMessageThatIsTooLargeForTheBrokerAsFailed() throws Exception {
        var bounded = underTest().bounded(queue()).orElseThrow().call();
        var queue = bounded.queue();
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        // random bytes, since a client with compression would shrink zeros
        var large = new byte[bounded.tooMuch()];
        new Random(7).nextBytes(large);
        producer.send(new Payload(large), 10);
        producer.flush();
        sends.awaitReported(11);
        send(producer, sends, 11, 20, "m");
        sends.awaitReported(20);
        producer.close();
        sends.closed();
        assertThat(sends.failures().keySet()).as("the fate of a body of " + bounded.tooMuch() + " bytes, which the broker does not take:"
            + " a message that was refused must be reported as failed and not as confirmed").containsExactly(10L);
        assertThat(sends.failures().values()).allSatisfy(cause -> assertThat(cause.getMessage()).isNotBlank());
        assertThat(sends.confirmed()).isEqualTo(19);
        assertThat(sends.violations()).isEmpty();
        var expected = new ArrayList<>(numbered("m", 0, 10));
        expected.addAll(numbered("m", 11, 20));
        assertReceived(inbox(queue).await(19), expected);
        assertEmpty(queue);
    }
}
