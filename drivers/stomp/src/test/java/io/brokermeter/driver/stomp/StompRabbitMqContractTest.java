package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StompRabbitMqContractTest extends StompContract {

    StompRabbitMqContractTest() {
        super(broker("rabbitmq"));
    }

    /** The broker sends an error if it has a message, or receives an acknowledgement, for a subscription that has ended. */
    @ParameterizedTest
    @CsvSource({"AUTO,false", "AUTO,true", "BATCH,false", "BATCH,true", "TRANSACTED,true"})
    void keepsItsConnectionWhenAConsumerLeavesABacklog(AckMode mode, boolean mayBlock) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 500);
        var log = new ConnectionLog();
        var connection = connect(settings(), log);
        var sends = new Sends();
        var producer = connection.producer(queue(), plain(), sends);
        var delivered = new AtomicInteger();
        var deliveries = new Deliveries(one -> delivered.incrementAndGet() <= 25 ? Settlement.ACCEPT : Settlement.LEAVE);
        var consumer = connection.consumer(queue, ConsumerSettings.of(its -> {
            its.ackMode = mode;
            its.batch = 10;
            its.prefetch = 50;
            its.mayBlock = mayBlock;
        }), deliveries);
        Await.until(() -> delivered.get() > 25, () -> "only " + delivered);
        consumer.close();
        // answers of the broker about the consumer arrive before those about these messages
        send(producer, sends, 0, 10, "m");
        sends.awaitReported(10);
        assertThat(log.losses()).isEmpty();
        assertThat(sends.confirmed()).isEqualTo(10);
        // Most messages are requeued at once. Those sent while the broker ended the subscription are requeued when the connection closes.
        connection.close();
        assertThat(new HashSet<>(receive(queue, 475)))
            .isEqualTo(IntStream.range(25, 500).mapToObj(i -> "m" + i).collect(Collectors.toSet()));
        assertEmpty(queue);
        assertThat(log.losses()).isEmpty();
    }

    /** All subscriptions of a connection share a channel of the broker, and a cumulative acknowledgement applies to the whole channel. */
    @Test
    void acknowledgesInABatchNothingThatAnotherConsumerHolds() throws Exception {
        var proxy = proxy();
        var connection = connect(settings(proxy.host(), proxy.port()));
        var held = queue();
        var full = queue();
        var batches = ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 10;
        });
        var few = new Deliveries();
        connection.consumer(held, batches, few);
        fill(held, 5);
        few.await(5);
        var many = new Deliveries();
        connection.consumer(full, batches, many);
        fill(full, 10);
        many.await(10);
        // the broker has processed the acknowledgements of the batch when it confirms a message that follows them
        var sends = new Sends();
        Await.until(() -> proxy.carried("ACK\n"), () -> "nothing was acknowledged");
        send(connection.producer(queue(), plain(), sends), sends, 0, 1, "m");
        sends.awaitConfirmed(1);
        proxy.cut();
        assertThat(receive(held, 5)).containsExactly("m0", "m1", "m2", "m3", "m4");
    }

    @Test
    void refusesCumulativeAcknowledgementsOfSeveralConsumers() throws Exception {
        var connection = connect(with("ack", "client"));
        connection.consumer(queue(), auto(), new Deliveries());
        assertThatThrownBy(() -> connection.consumer(queue(), auto(), new Deliveries())).hasMessageContaining("ack=client");
    }
}
