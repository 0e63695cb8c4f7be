package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Payload;
import org.junit.jupiter.api.Test;

/** The sending thread of brokermeter's own path creates no object for each message. */
class KafkaAllocationTest extends BrokerTest {

    private static final int FIRST = 20_000;
    private static final int ALL = 60_000;
    /** The most bytes that a thread may allocate for all measured messages: less than the smallest object for each of them. */
    private static final long MOST = (ALL - FIRST) * 8L;
    private static final int TURN = 500;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    KafkaAllocationTest() {
        super(KafkaBroker.OWN);
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
}
