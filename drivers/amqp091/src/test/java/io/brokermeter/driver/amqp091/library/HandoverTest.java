package io.brokermeter.driver.amqp091.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.brokermeter.contract.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class HandoverTest {

    private final ConcurrentLinkedQueue<Long> taken = new ConcurrentLinkedQueue<>();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final Handover handover = Handover.start(this::take);

    private void take(Delivery delivery) {
        try {
            answer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        taken.add(delivery.getEnvelope().getDeliveryTag());
    }

    @AfterEach
    void end() {
        answer.countDown();
        handover.close();
    }

    @Test
    void takesAllThatComesWhileItWaitsForTheBroker() {
        handover.waitsForBroker(true);
        put(5000);
        answer.countDown();
        Await.until(() -> taken.size() == 5000, () -> taken.size() + " came");
        assertThat(List.copyOf(taken)).isEqualTo(LongStream.range(0, 5000).boxed().toList());
    }

    @Test
    void holdsTheClientBackWhileTheTakerIsBusy() throws Exception {
        var putting = Thread.ofPlatform().daemon().start(() -> put(1500));
        Await.until(() -> putting.getState() == Thread.State.WAITING, () -> "it is " + putting.getState());
        answer.countDown();
        putting.join();
        Await.until(() -> taken.size() == 1500, () -> taken.size() + " came");
    }

    @Test
    void letsTheClientGoWhenItEnds() throws Exception {
        var putting = Thread.ofPlatform().daemon().start(() -> put(1500));
        Await.until(() -> putting.getState() == Thread.State.WAITING, () -> "it is " + putting.getState());
        handover.close();
        putting.join();
        answer.countDown();
        assertThat(taken).hasSizeLessThan(2);
    }

    @Test
    void isNeededForMoreThanTheClientQueues() {
        assertThat(Handover.needed(1000)).isFalse();
        assertThat(Handover.needed(1001)).isTrue();
        assertThat(Handover.needed(0)).isTrue();
    }

    private void put(int count) {
        for (long tag = 0; tag < count; tag++) {
            handover.put(new Delivery(new Envelope(tag, false, "", ""), new AMQP.BasicProperties(), new byte[0]));
        }
    }
}
