package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.Test;

class MessageFormTest {

    private static final List<MessageQueue> QUEUES = IntStream.range(0, 4).mapToObj(i -> new MessageQueue("T", "broker-a", i)).toList();

    private static MessageQueue queueOf(SendListener listener) {
        RocketMqSettings settings = RocketMqSettings.of(new RocketMqDriver(),
            new ConnectionSettings("rocketmq://h", null, null, null, Duration.ofSeconds(1)));
        return new MessageForm("T", QUEUES, ProducerSettings.DEFAULT, settings, listener).nextQueue(0);
    }

    /** If a recreated producer used the next queue, its messages would be out of order. */
    @Test
    void aProducerThatIsMadeAnewKeepsItsQueue() {
        var one = new Sends();
        var two = new Sends();
        var first = queueOf(one);
        var second = queueOf(two);
        assertThat(second).isNotEqualTo(first);
        assertThat(queueOf(two)).isEqualTo(second);
        assertThat(queueOf(one)).isEqualTo(first);
    }
}
