package io.brokermeter.driver.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.network.Proxy;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message object of the client is reused after its confirmation; none of its former content may be sent again. */
@Tag("slow")
class MessageReuseTest {

    /** In a window of two, each length follows a longer and a shorter one; above 64 KiB and above 100 KiB the client sends differently. */
    private static final int[] LENGTHS = {1024, 0, 10, 200_000, 5, 1024, 70_000, 3, 150_000, 2, 1, 1024, 1024, 7, 0, 65_536, 9, 65_537};

    private static final ThrowawayBroker BROKER = CoreContractTest.artemis();
    private static final String CLIENT = "?transport=client";

    private final Destination queue = Destination.parse("queue://REUSE." + System.nanoTime());

    @Test
    void sendsNothingOfTheMessageBefore() throws Exception {
        try (var connection = new CoreDriver().connect(BROKER.withUrl(BROKER.settings().url() + CLIENT), new ConnectionLog())) {
            connection.declare(queue);
            var sends = new Sends();
            var deliveries = new Deliveries();
            try (var _ = connection.consumer(queue, ConsumerSettings.DEFAULT, deliveries);
                    var producer = connection.producer(queue, ProducerSettings.of(its -> its.maxPending = 2), sends)) {
                int sent = 0;
                for (int round = 0; round < 5; round++) {
                    for (int length : LENGTHS) {
                        var payload = new Payload(body(length, sent));
                        producer.send(payload, sent++);
                        producer.flush();
                        sends.awaitConfirmed(sent);
                    }
                }
                deliveries.await(sent);
                for (int i = 0; i < sent; i++) {
                    var delivery = deliveries.all().get(i);
                    assertThat(delivery.bytes()).as("body of message " + i).isEqualTo(body(LENGTHS[i % LENGTHS.length], i));
                }
            }
        }
    }

    /** The client modifies a message after its completion listener has returned, which may be any time later. */
    @Test
    void confirmsAMessageThatIsSentAgainWhileItsCompletionIsUnderWay() throws Exception {
        try (var connection = new CoreDriver().connect(BROKER.withUrl(BROKER.settings().url() + CLIENT), new ConnectionLog())) {
            connection.declare(queue);
            var completing = new CountDownLatch(1);
            var sentAgain = new CountDownLatch(1);
            var confirmed = ConcurrentHashMap.<Long>newKeySet();
            var listener = new Confirmations(token -> {
                if (token == 0) {
                    completing.countDown();
                    try {
                        sentAgain.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                confirmed.add(token);
            });
            try (var producer = connection.producer(queue, ProducerSettings.of(its -> its.maxPending = 2), listener)) {
                producer.send(new Payload(body(10, 0)), 0);
                producer.flush();
                assertThat(completing.await(60, TimeUnit.SECONDS)).isTrue();
                producer.send(new Payload(body(10, 1)), 1);
                producer.send(new Payload(body(10, 2)), 2);
                producer.flush();
                sentAgain.countDown();
                Await.until(() -> confirmed.size() == 3, () -> "only these of 3 are confirmed: " + confirmed);
            }
        }
    }

    /** The broker also confirms every 32 KiB that it has read. No message may be confirmed before a round trip over a network of 30 ms. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void confirmsNoMessageBeforeTheBrokerHasAnswered(int maxPending) throws Exception {
        try (var far = Proxy.open("127.0.0.1", BROKER.port(), NetworkRule.rtt(Duration.ofMillis(30)));
                var connection = new CoreDriver().connect(BROKER.withUrl("tcp://127.0.0.1:" + far.port() + CLIENT), new ConnectionLog())) {
            connection.declare(queue);
            int count = 100 * maxPending;
            var sentAt = new AtomicLongArray(count);
            var took = new ConcurrentHashMap<Long, Long>();
            var window = new Semaphore(maxPending);
            var listener = new Confirmations(token -> {
                took.put(token, System.nanoTime() - sentAt.get((int) token));
                window.release();
            });
            try (var producer = connection.producer(queue, ProducerSettings.of(its -> its.maxPending = maxPending), listener)) {
                for (int i = 0; i < count; i++) {
                    assertThat(window.tryAcquire(60, TimeUnit.SECONDS)).as("message " + i + " may be sent").isTrue();
                    sentAt.set(i, System.nanoTime());
                    producer.send(new Payload(body(1024, i)), i);
                    producer.flush();
                }
                Await.until(() -> took.size() == count, () -> took.size() + " of " + count + " are confirmed");
            }
            // The proxy subtracts the usual cost of its wake-ups from the delay, which may be too much for a single one.
            assertThat(took.entrySet().stream().filter(each -> each.getValue() < 29_000_000)).as("messages confirmed too early").isEmpty();
        }
    }

    /** Reports each message that the client confirms. */
    private record Confirmations(LongConsumer heard) implements SendListener {

        @Override
        public void confirmed(long token) {
            heard.accept(token);
        }

        @Override
        public void confirmedUpTo(long token) {
            throw new AssertionError("The client completes each send by itself.");
        }

        @Override
        public void failed(long token, Throwable cause) {}

        @Override
        public void unknown(long token, Throwable cause) {}
    }

    private static byte[] body(int length, int number) {
        byte[] body = new byte[length];
        Arrays.fill(body, (byte) (number + 1));
        return body;
    }
}
