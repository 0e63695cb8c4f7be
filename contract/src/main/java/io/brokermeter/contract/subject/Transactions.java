package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import org.junit.jupiter.api.Test;

/** Tests of the transactions of a producer. */
public interface Transactions extends Subject {

    @Test
    @Needs(Capability.ROLLBACK)
    default void forgetsWhatIsRolledBack() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 5; i++) {
            producer.send(payload("gone" + i), i);
        }
        producer.flush();
        producer.rollback();
        sends.forget(0, 5);
        producer.rollback();
        for (int i = 5; i < 10; i++) {
            producer.send(payload("kept" + i), i);
        }
        producer.commit();
        assertThat(sends.confirmed()).isEqualTo(5);
        deliveries.await(5);
        for (int i = 10; i < 13; i++) {
            producer.send(payload("gone" + i), i);
        }
        producer.rollback();
        sends.forget(10, 13);
        producer.send(payload("kept13"), 13);
        producer.close();
        sends.closed();
        deliveries.await(6);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 6)).isFalse();
        assertReceived(deliveries, List.of("kept5", "kept6", "kept7", "kept8", "kept9", "kept13"));
        assertThat(sends.confirmed()).isEqualTo(6);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(Capability.TRANSACTED_SEND)
    default void confirmsATransactionWhenItIsCommitted() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = receiving(connection, queue);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.flush();
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() + sends.reported() > 0)).isFalse();
        producer.commit();
        assertThat(sends.confirmed()).isEqualTo(10);
        deliveries.await(10);
        producer.send(payload("t10"), 10);
        producer.commit();
        deliveries.await(11);
        assertThat(sends.confirmed()).isEqualTo(11);
        assertThat(sends.violations()).isEmpty();
        assertReceived(deliveries, numbered("t", 0, 11));
    }

    @Test
    @Needs(Capability.TRANSACTED_SEND)
    default void commitsTheTailOfATransactionAtClose() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 3; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.close();
        sends.closed();
        assertThat(sends.confirmed()).isEqualTo(3);
        assertThat(receive(queue, 3)).isEqualTo(numbered("t", 0, 3));
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    @Needs(value = Capability.TRANSACTED_SEND, traits = BrokerTrait.ENDS_BY_A_CUT, fixtures = Fixture.NETWORK)
    default void confirmsNothingOfATransactionThatCannotBeCommitted() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var log = new ConnectionLog();
        var connection = connect(settings(proxy.host(), proxy.port()), log);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.flush();
        // The client of RocketMQ would commit over a new connection if it commits before the driver notices that the old one is gone.
        proxy.swallow();
        proxy.cut();
        assertThatThrownBy(producer::commit).isInstanceOf(Exception.class);
        assertThat(sends.reported()).isEqualTo(10);
        assertThat(sends.confirmed()).isZero();
        producer.close();
        sends.closed();
        assertThat(sends.violations()).isEmpty();
        var deliveries = receiving(connect(), queue);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 0)).isFalse();
    }
}
