package io.brokermeter.driver.redis;

import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import com.sun.management.ThreadMXBean;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

/** Neither the sending nor the delivering thread creates an object for each message. */
class AllocationTest extends BrokerTest {

    private static final int FIRST = 2000;
    private static final int ALL = 12_000;
    /** The most bytes that a thread may allocate for all measured messages: less than the smallest object for each of them. */
    private static final long MOST = (ALL - FIRST) * 8L;

    private static final int TURN = 50;
    private static final int TRIES = 60_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    AllocationTest() {
        super(RedisContractTest.BROKER);
    }

    @Test
    void createsNoObjectForEachMessage() throws Exception {
        var queue = queue();
        var connection = connect();
        var confirmed = new AtomicLong(-1);
        var producer = connection.producer(queue, plain(), new SendListener() {

            @Override
            public void confirmed(long token) {
                confirmed.set(token);
            }

            @Override
            public void confirmedUpTo(long token) {
                confirmed.set(token);
            }

            @Override
            public void failed(long token, Throwable cause) {}

            @Override
            public void unknown(long token, Throwable cause) {}
        });
        var payload = new Payload(new byte[100]);
        long before = 0;
        for (int i = 0; i < ALL; i++) {
            before = i == FIRST ? threads.getCurrentThreadAllocatedBytes() : before;
            producer.send(payload, i);
            if (i % TURN == TURN - 1) {
                producer.flush();
                for (int tries = 0; confirmed.get() < i && tries < TRIES; tries++) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).as("by the sending thread").isLessThan(MOST);
        assertThat(confirmed.get()).isEqualTo(ALL - 1);
        var delivered = new AtomicLong();
        var allocated = new AtomicLong();
        connection.consumer(queue, ConsumerSettings.DEFAULT, new DeliveryListener() {

            @Override
            public Settlement delivered(ByteBuffer body, boolean redelivered) {
                long count = delivered.incrementAndGet();
                if (count == FIRST || count == ALL) {
                    allocated.set(threads.getCurrentThreadAllocatedBytes() - allocated.get());
                }
                return Settlement.ACCEPT;
            }

            @Override
            public void failed(Throwable cause) {}
        });
        Await.until(() -> delivered.get() == ALL, () -> "only " + delivered + " came");
        assertThat(allocated.get()).as("by the delivering thread").isLessThan(MOST);
    }
}
