package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConsumerSettings;
import org.junit.jupiter.api.Test;

class RedisContractTest extends DriverContract {

    static final String PASSWORD = "correct horse";
    /** Claims messages only after longer than a stall of the machine: otherwise messages that are acknowledged late would be claimed. */
    static final ThrowawayBroker BROKER = new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT")
        .login(PASSWORD).parameter("claim-after", "25").killing("redis");

    RedisContractTest() {
        super(BROKER);
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("Redis \\d+\\.\\d+.*");
    }

    /** Otherwise a read of the socket would time out before the server has to answer, and the connection would count as lost. */
    @Test
    void asksTheServerToWaitForLessThanItsSocketDoes() {
        assertThat(RedisConsumer.block(Duration.ofSeconds(5), Duration.ofSeconds(20))).isEqualTo(1000);
        assertThat(RedisConsumer.block(Duration.ofSeconds(5), Duration.ofSeconds(1))).isEqualTo(500);
        assertThat(RedisConsumer.block(Duration.ofMillis(200), Duration.ofMillis(200))).isEqualTo(100);
        assertThat(RedisConsumer.block(Duration.ZERO, Duration.ofSeconds(20))).isEqualTo(1);
    }

    /** The caller polls until the end of the run, which must not use a whole processor. */
    @Test
    void aPollOverALostConnectionReturnsAfterItsLimit() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var log = new ConnectionLog();
        var consumer = connect(settings(proxy.host(), proxy.port()), log).consumer(queue, ConsumerSettings.of(its -> its.polling = true),
            new Deliveries());
        proxy.cut();
        Await.until(() -> {
            try {
                consumer.poll(Duration.ofMillis(10));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return !log.losses().isEmpty();
        }, () -> "the connection is not lost");
        long begin = System.nanoTime();
        consumer.poll(Duration.ofMillis(300));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(200));
    }
}
