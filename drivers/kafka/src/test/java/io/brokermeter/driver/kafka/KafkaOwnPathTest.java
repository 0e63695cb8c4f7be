package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Behaviour of brokermeter's own path at a broker beyond the contract. */
class KafkaOwnPathTest extends BrokerTest {

    KafkaOwnPathTest() {
        super(KafkaBroker.OWN);
    }

    /** A leader that is not yet aware of its role may refuse the first of several requests and accept a later one. */
    @Test
    void sendsAtOnceToTopicsThatDidNotExist() throws Exception {
        var connection = connect(settings().withProperty("batch.size", "500"));
        for (int topic = 0; topic < 5; topic++) {
            var sends = new Sends();
            var producer = connection.producer(queue(), ProducerSettings.DEFAULT, sends);
            for (int i = 0; i < 300; i++) {
                producer.send(payload("" + i), i);
            }
            sends.awaitConfirmed(300);
            assertThat(sends.violations()).isEmpty();
            producer.close();
        }
    }

    /** Members join and leave while messages come. Guards against fetches that outlive a partition's revocation, and against lost positions. */
    @Test
    void deliversEachMessageOnceWhileMembersComeAndGo() throws Exception {
        var queue = queue();
        var all = settings().withProperty("partition", "round-robin");
        var sends = new Sends();
        var producer = connect(all).producer(queue, plain(), sends);
        var first = new Deliveries();
        var staying = connect(all);
        var leaving = staying.consumer(queue, auto(), first);
        send(producer, sends, 0, 400, "a");
        first.await(400);
        var second = receiving(connect(all), queue);
        send(producer, sends, 400, 800, "b");
        Deliveries.await(800, first, second);
        assertThat(second.count()).isPositive();
        leaving.close();
        send(producer, sends, 800, 1200, "c");
        var third = receiving(staying, queue);
        Deliveries.await(1200, first, second, third);
        var texts = new ArrayList<>(first.texts());
        texts.addAll(second.texts());
        texts.addAll(third.texts());
        assertThat(texts).hasSize(1200).doesNotHaveDuplicates();
    }
}
