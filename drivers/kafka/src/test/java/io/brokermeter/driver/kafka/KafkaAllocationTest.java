package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.sun.management.ThreadMXBean;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

/** Brokermeter's own path creates no object for each message, neither on the thread that sends nor on the one that receives. */
class KafkaAllocationTest extends BrokerTest {

    private static final int FIRST = 20_000;
    private static final int ALL = 60_000;
    /** The most bytes that a thread may allocate for all measured messages: less than the smallest object for each of them. */
    private static final long MOST = (ALL - FIRST) * 8L;
    private static final int TURN = 500;

    private final CountDownLatch done = new CountDownLatch(1);
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    KafkaAllocationTest() {
        super(KafkaBroker.SHARED);
    }

    @Test
    void createsNoObjectForEachMessage() throws Exception {
        var connection = connect(settings().withProperty("linger.ms", "0"));
        assertThat(connection.client()).startsWith("kafka-clients ");
        var sends = new Sends();
        var producer = connection.producer(queue(), plain(), sends);
        assertThat(connection.client()).isEqualTo("brokermeter Kafka path");
        var payload = new Payload(new byte[100]);
        long allocated = 0;
        for (int i = 0; i < ALL; i += TURN) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int j = i; j < i + TURN; j++) {
                producer.send(payload, j);
            }
            producer.flush();
            allocated += i < FIRST ? 0 : threads.getCurrentThreadAllocatedBytes() - before;
            if (i % (20 * TURN) == 0) {
                sends.awaitConfirmed(i + TURN);
            }
        }
        sends.awaitConfirmed(ALL);
        assertThat(allocated).as("by the sending thread").isLessThan(MOST);
        assertThat(sends.violations()).isEmpty();
    }

    /** The objects of a fetch and of a poll of Kafka's client are shared by the messages of a fetch. */
    @Test
    void createsNoObjectForEachMessageThatItReceives() throws Exception {
        var queue = queue();
        fill(queue, ALL);
        var counts = new long[3];
        var listener = new DeliveryListener() {

            @Override
            public Settlement delivered(ByteBuffer body, boolean redelivered) {
                counts[0]++;
                if (counts[0] == FIRST) {
                    counts[1] = threads.getCurrentThreadAllocatedBytes();
                } else if (counts[0] == ALL) {
                    counts[2] = threads.getCurrentThreadAllocatedBytes() - counts[1];
                    done.countDown();
                }
                return Settlement.ACCEPT;
            }

            @Override
            public void failed(Throwable cause) {
                failures.add(cause);
            }
        };
        var connection = connect();
        connection.consumer(queue, auto(), listener);
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(counts[2]).as("by the receiving thread").isLessThan(MOST);
        assertThat(failures).isEmpty();
        assertThat(connection.client()).startsWith("brokermeter Kafka path and kafka-clients ");
    }
}
