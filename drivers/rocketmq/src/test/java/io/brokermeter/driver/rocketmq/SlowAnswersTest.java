package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.FaultProxy;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A broker that answers late, or no more although its connection stays open. */
class SlowAnswersTest extends BrokerTest {

    private static final Duration ENOUGH = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(1);

    private FaultProxy proxy;
    private RocketMqSettings settings;
    private String master;

    SlowAnswersTest() {
        super(RocketMqBroker.SHARED);
    }

    @BeforeEach
    void direct() throws Exception {
        proxy = new FaultProxy(new InetSocketAddress("127.0.0.1", RocketMqBroker.SHARED.port()));
        master = proxy.host() + ":" + proxy.port();
        settings = RocketMqSettings.of(driver(), settings()
            .withProperty("broker-address", "127.0.0.1:" + RocketMqBroker.SHARED.port() + "=" + master));
    }

    @AfterEach
    void end() {
        proxy.close();
    }

    @Test
    void aLateAnswerLeavesTheConnectionOpen() throws Exception {
        List<String> closed = new CopyOnWriteArrayList<>();
        try (AdminConnection admin = AdminConnection.open(settings, new TopicBrokers(), Set.of(), closed::add)) {
            proxy.hold();
            assertThatThrownBy(() -> admin.touch(master, SHORT)).isInstanceOf(RemotingTimeoutException.class);
            proxy.release();
            admin.touch(master, ENOUGH);
            assertThat(closed).as("closures after a late answer").isEmpty();
            admin.hangUp(master);
            Await.until(() -> closed.contains(master), () -> "the closure is reported");
            admin.touch(master, ENOUGH);
        }
    }

    @Test
    void aBrokerThatAnswersNoMoreIsLost() throws Exception {
        ConnectionLog log = new ConnectionLog();
        try (RocketMqConnection connection = RocketMqConnection.open(settings, new TopicBrokers(), new QueueGroups(), log, SHORT)) {
            proxy.swallow();
            Await.until(() -> !log.losses().isEmpty(), () -> "the loss is reported");
            assertThat(log.losses().getFirst()).hasMessageContaining("The connection to the RocketMQ broker at " + master + " broke.");
        }
    }
}
