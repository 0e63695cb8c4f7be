package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.FaultProxy;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.ServerUrl;
import org.junit.jupiter.api.Test;

/** Closing of the administrative connection. */
class AdminConnectionTest extends BrokerTest {

    /** The longest time that the client waits for an event when it shuts down. */
    private static final Duration CLIENT_WAITS = Duration.ofSeconds(3);
    private static final int ROUNDS = 3;

    AdminConnectionTest() {
        super(RocketMqBroker.SHARED);
    }

    /** A reconnect closes the broken connection first, and the time until the connection is restored is measured. */
    @Test
    void closesAtOnceWhenItsConnectionsAreGone() throws Exception {
        Duration shortest = CLIENT_WAITS;
        for (int i = 0; i < ROUNDS; i++) {
            Duration took = closing();
            shortest = took.compareTo(shortest) < 0 ? took : shortest;
        }
        assertThat(shortest).as("the shortest of %d", ROUNDS).isLessThan(CLIENT_WAITS.dividedBy(2));
    }

    private Duration closing() throws Exception {
        ServerUrl.Server names = RocketMqSettings.of(driver(), settings()).servers.getFirst();
        Set<String> closed = ConcurrentHashMap.newKeySet();
        try (FaultProxy first = new FaultProxy(new InetSocketAddress(names.host(), names.port()));
                FaultProxy second = new FaultProxy(new InetSocketAddress("127.0.0.1", RocketMqBroker.SHARED.port()))) {
            String broker = second.host() + ":" + second.port();
            ConnectionSettings wired = settings().withUrl("rocketmq://" + first.host() + ":" + first.port())
                .withProperty("broker-address", "127.0.0.1:" + RocketMqBroker.SHARED.port() + "=" + broker);
            AdminConnection admin = AdminConnection.open(RocketMqSettings.of(driver(), wired), new TopicBrokers(), Set.of(),
                closed::add);
            first.cut();
            second.cut();
            Await.until(() -> closed.size() == 2, () -> "it heard that these are gone: " + closed);
            long from = System.nanoTime();
            admin.close();
            return Duration.ofNanos(System.nanoTime() - from);
        }
    }
}
