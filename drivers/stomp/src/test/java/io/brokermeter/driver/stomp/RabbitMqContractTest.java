package io.brokermeter.driver.stomp;

import static io.brokermeter.contract.Messages.auto;
import static io.brokermeter.contract.Messages.plain;
import static io.brokermeter.contract.Messages.send;
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

class RabbitMqContractTest extends StompContract {

    RabbitMqContractTest() {
        super(broker("rabbitmq"));
    }

    /** The broker answers with an error when it has a message for a subscription that has ended, or gets an acknowledgement for one. */
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
        // what the broker says about the consumer comes before what it says about these
        send(producer, sends, 0, 10, "m");
        sends.awaitReported(10);
        assertThat(log.losses()).isEmpty();
        assertThat(sends.confirmed()).isEqualTo(10);
        // Most came back at once. What the queue sent while the broker ended the subscription goes back with the connection.
        connection.close();
        assertThat(new HashSet<>(receive(queue, 475)))
            .isEqualTo(IntStream.range(25, 500).mapToObj(i -> "m" + i).collect(Collectors.toSet()));
        assertEmpty(queue);
        assertThat(log.losses()).isEmpty();
    }

    /** All subscriptions of a connection share a channel of the broker, to which a cumulative acknowledgement belongs. */
    @Test
    void acknowledgesInABatchNothingThatAnotherConsumerHolds() throws Exception {
        var wire = wire();
        var connection = connect(settings(wire.host(), wire.port()));
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
        // the broker has taken the acknowledgements of the batch when it answers what comes behind them
        var sends = new Sends();
        Await.until(() -> wire.carried("ACK\n"), () -> "nothing was acknowledged");
        send(connection.producer(queue(), plain(), sends), sends, 0, 1, "m");
        sends.awaitConfirmed(1);
        wire.cut();
        assertThat(receive(held, 5)).containsExactly("m0", "m1", "m2", "m3", "m4");
    }

    @Test
    void refusesCumulativeAcknowledgementsOfSeveralConsumers() throws Exception {
        var connection = connect(with("ack", "client"));
        connection.consumer(queue(), auto(), new Deliveries());
        assertThatThrownBy(() -> connection.consumer(queue(), auto(), new Deliveries())).hasMessageContaining("ack=client");
    }
}
