package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException;
import org.junit.jupiter.api.Test;

class RocketMqSettingsTest {

    private final RocketMqDriver driver = new RocketMqDriver();

    @Test
    void takesNameServersWithCommasAndSemicolons() {
        assertThat(read("rocketmq://one,two:1;[::1]").nameServers).isEqualTo("one:9876;two:1;[::1]:9876");
    }

    @Test
    void takesPropertiesOfTheClient() {
        assertThat(read("rocketmq://one?sendMsgTimeout=5000&maxReconsumeTimes=3&queues=8").client)
            .containsOnlyKeys("sendMsgTimeout", "maxReconsumeTimes");
    }

    @Test
    void namesTheNearestOfAnUnknownParameter() {
        assertThatThrownBy(() -> read("rocketmq://one?sendMsgTimeOut=5")).hasMessageContaining("sendMsgTimeout");
        assertThatThrownBy(() -> read("rocketmq://one?queue=5")).hasMessageContaining("did you mean queues?");
    }

    @Test
    void refusesValuesOfAnotherForm() {
        assertThatThrownBy(() -> read("rocketmq://one?sendMsgTimeout=soon"))
            .hasMessage("Parameter sendMsgTimeout of protocol ROCKETMQ must be a number, not 'soon'.");
        assertThatThrownBy(() -> read("rocketmq://one?send=later")).hasMessageContaining("sync, async, oneway");
        assertThatThrownBy(() -> read("rocketmq://one?delay-level=1&delay-time=5")).hasMessageContaining("not both");
        assertThatThrownBy(() -> read("rocketmq://one?broker-address=a:1")).hasMessageContaining("host:port=host:port");
        assertThatThrownBy(() -> driver.check(new ConnectionSettings("rocketmq://one", "user", null, null,
            Duration.ofSeconds(1)))).hasMessageContaining("user and password together");
    }

    @Test
    void refusesAClientIdThatTheProtocolCannotCarry() {
        for (String id : new String[] {"x".repeat(101), "\u00e4".repeat(20)}) {
            assertThatThrownBy(() -> driver.check(new ConnectionSettings("rocketmq://one", null, null, id, Duration.ofSeconds(1))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("client id").message().endsWith(".");
        }
        driver.check(new ConnectionSettings("rocketmq://one", null, null, "orders-7", Duration.ofSeconds(1)));
    }

    @Test
    void confirmsNothingThatIsSentOneWay() {
        assertThat(driver.capabilities(settings("rocketmq://one?send=oneway")))
            .doesNotContain(Capability.CONFIRMATIONS, Capability.TRANSACTED_SEND);
        assertThat(driver.capabilities(settings("rocketmq://one"))).isEqualTo(driver.capabilities());
    }

    @Test
    void showsNoPassword() {
        var settings = new ConnectionSettings("rocketmq://one?group=g", "user", Secret.of("unseen"), null, Duration.ofSeconds(1));
        assertThat(driver.effectiveUrl(settings)).isEqualTo("rocketmq://one:9876");
        assertThat(RocketMqSettings.of(driver, settings).toString()).doesNotContain("unseen");
    }

    @Test
    void writesNamesAsRocketMqAllowsThem() {
        assertThat(Names.topic(Destination.parse("queue://a.b/c-d_e"))).isEqualTo("a%2Eb%2Fc-d_e");
        assertThatThrownBy(() -> Names.topic(Destination.parse("topic://" + "x".repeat(128)))).hasMessageContaining("127");
    }

    @Test
    void saysTheSameForTheSameCause() {
        String sentence = "SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while";
        for (int i = 0; i < 2; i++) {
            var refused = new MQBrokerException(2, "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, "
                + "period in queue: " + (213 + i) + "ms, size of queue: " + (9 + i), "127.0.0.1:10911");
            assertThat(Causes.ofSend(refused, "T")).hasMessage(sentence);
            assertThat(Causes.ofSend(new MQClientException("wait response timeout, cost=30" + i,
                new RemotingTimeoutException("127.0.0.1:10911", 3000)), "T"))
                .hasMessage("TIMEOUT: The broker did not answer a send to T in time.");
            assertThat(Causes.ofSend(new RemotingTooMuchRequestException("sendKernelImpl call timeout"), "T"))
                .hasMessage("sendKernelImpl call timeout");
        }
        assertThat(Causes.ofStatus(SendStatus.SLAVE_NOT_AVAILABLE)).hasMessageStartingWith("SLAVE_NOT_AVAILABLE (11): ");
    }

    /** Old brokers ignore the parameter and deliver the messages at once. */
    @Test
    void refusesDelaysThatOldBrokersDoNotKnow() throws Exception {
        var delayed = ProducerSettings.of(its -> its.delayMillis = 5);
        assertThatThrownBy(() -> RocketMqConnection.requireTimers(ProducerSettings.DEFAULT, read("rocketmq://one?delay-time=5"),
            "Apache RocketMQ 4.9.8")).isInstanceOf(DriverException.class).hasMessageContaining("delay-level");
        assertThatThrownBy(() -> RocketMqConnection.requireTimers(delayed, read("rocketmq://one"), "Apache RocketMQ 4.9.8"))
            .isInstanceOf(DriverException.class).hasMessageContaining("delay-level");
        RocketMqConnection.requireTimers(delayed, read("rocketmq://one?delay-time=5"), "Apache RocketMQ 5.3.0");
        RocketMqConnection.requireTimers(ProducerSettings.DEFAULT, read("rocketmq://one?delay-level=1"), "Apache RocketMQ 4.9.8");
    }

    private RocketMqSettings read(String url) {
        return RocketMqSettings.of(driver, settings(url));
    }

    private static ConnectionSettings settings(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }
}
