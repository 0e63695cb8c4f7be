package io.brokermeter.driver.rocketmq;

import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.FaultProxy;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Whether a heartbeat, which the client sends a second after its start, or a send is what a busy broker answers late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("deprecation") // the way to the client's heartbeats
    void aLateAnswerToOneRequestCostsNoOther(boolean heartbeat) throws Exception {
        Destination queue = queue();
        connect().declare(queue);
        RocketMqSettings impatient = RocketMqSettings.of(driver(), settings()
            .withProperty("broker-address", "127.0.0.1:" + RocketMqBroker.SHARED.port() + "=" + master)
            .withProperty("mqClientApiTimeout", "500"));
        DefaultMQProducer client = Clients.producer(impatient);
        try {
            Message message = new Message(Names.topic(queue), new byte[] {1});
            client.send(message);
            proxy.hold();
            CompletableFuture<SendStatus> answer = new CompletableFuture<>();
            client.send(message, new SendCallback() {

                @Override
                public void onSuccess(SendResult result) {
                    answer.complete(result.getSendStatus());
                }

                @Override
                public void onException(Throwable thrown) {
                    answer.completeExceptionally(thrown);
                }
            });
            if (heartbeat) {
                client.getDefaultMQProducerImpl().getMqClientFactory().sendHeartbeatToAllBrokerWithLock();
            } else {
                assertThatThrownBy(() -> client.send(message, SHORT.toMillis())).hasRootCauseInstanceOf(RemotingTimeoutException.class);
            }
            proxy.release();
            assertThat(answer).succeedsWithin(ENOUGH).isEqualTo(SendStatus.SEND_OK);
        } finally {
            Clients.end(client, impatient);
        }
    }

    /** As when a host is gone: the clients must not go on with connections on which nothing arrives any more. */
    @Test
    void theClientsLeaveABrokerThatAnswersNoMore() throws Exception {
        Destination queue = queue();
        RocketMqSettings lasting = RocketMqSettings.of(driver(), RocketMqBroker.SHARED.settings(proxy.host(), proxy.port())
            .withProperty("reconnect", "true").withProperty("sendMsgTimeout", "120000"));
        ConnectionLog log = new ConnectionLog();
        try (RocketMqConnection connection = RocketMqConnection.open(lasting, new TopicBrokers(), new QueueGroups(), log, SHORT)) {
            Sends sends = new Sends();
            Producer producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 1, "m");
            sends.awaitConfirmed(1);
            proxy.swallow();
            send(producer, sends, 1, 2, "m");
            sends.awaitReported(2);
            assertThat(sends.unknown().toString()).contains("CONNECTION_LOST");
            Await.until(() -> log.interruptions() > 0, () -> "the interruption is reported");
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
