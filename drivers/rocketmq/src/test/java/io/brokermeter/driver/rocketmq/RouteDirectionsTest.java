package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.driver.rocketmq.route.RouteRewriting;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Directions;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl.Server;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redirection of clients from the addresses that a name server returns to others. */
class RouteDirectionsTest extends BrokerTest {

    private final Directions directions = new RocketMqDriver().directions().orElseThrow();

    RouteDirectionsTest() {
        super(RocketMqBroker.SHARED);
    }

    private static ConnectionSettings to(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(20));
    }

    @Test
    void asksTheNameServer() throws Exception {
        int port = RocketMqBroker.SHARED.port();
        String told = "127.0.0.1:" + port;
        assertThat(directions.ask(settings())).containsExactly(Map.entry(told, new Server("127.0.0.1", port)));
        assertThat(directions.ask(settings().withProperty("broker-address", told + "=elsewhere:7,other:1=other:2")))
            .as("the user's own address counts").containsExactly(Map.entry(told, new Server("elsewhere", 7)));
    }

    @Test
    void endsInTimeWhereNobodyAnswers() throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ConnectionSettings settings =
                new ConnectionSettings("rocketmq://127.0.0.1:" + mute.getLocalPort(), null, null, null, Duration.ofSeconds(5));
            assertThatThrownBy(() -> directions.ask(settings)).isInstanceOf(DriverException.class)
                .hasMessageContaining("did not answer within 5000 ms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "rocketmq://a:1;b:2", "rocketmq://a:1,b:2?broker-address=x:1=y:1", "rocketmq://a:1,b:2?queues=8&broker-address=x:1=y:1"})
    void takesThePlaceOfTheUsersOwnAddresses(String url) {
        Map<String, Server> instead = new LinkedHashMap<>();
        instead.put("x:1", new Server("127.0.0.1", 5));
        instead.put("z:1", new Server("::1", 6));
        ConnectionSettings led = directions.leading(to(url), instead);
        RocketMqSettings read = RocketMqSettings.of(new RocketMqDriver(), led);
        assertThat(led.url()).startsWith("rocketmq://a:1,b:2");
        assertThat(read.queues).isEqualTo(url.contains("queues=8") ? 8 : 4);
        assertThat(read.addresses).containsExactly(Map.entry("x:1", "127.0.0.1:5"), Map.entry("z:1", "[::1]:6"));
    }

    @Test
    void replacesAllAddressesAtOnce() {
        RemotingCommand request = RemotingCommand.createRequestCommand(RequestCode.GET_ROUTEINFO_BY_TOPIC, null);
        RemotingCommand answer = RemotingCommand.createResponseCommand(0, null);
        answer.setBody("{\"brokerAddrs\":{0:\"a:1\",1:\"b:1\",2:\"a:11\"}}".getBytes(StandardCharsets.UTF_8));
        new RouteRewriting(Map.of("a:1", "b:1", "b:1", "a:1")).doAfterResponse("server", request, answer);
        assertThat(new String(answer.getBody(), StandardCharsets.UTF_8)).isEqualTo("{\"brokerAddrs\":{0:\"b:1\",1:\"a:1\",2:\"a:11\"}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vipChannelEnabled=true", "sendMessageWithVIPChannel=true", "socksProxyConfig=%7B%22a%22:1%7D"})
    void refusesWhatLeadsClientsElsewhere(String parameter) {
        assertThatThrownBy(() -> directions.check(to("rocketmq://a:1?" + parameter))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("around");
    }

    @Test
    void refusesNothingElse() {
        directions.check(to("rocketmq://a:1"));
        directions.check(to("rocketmq://a:1?vipChannelEnabled=false&sendMsgTimeout=5000&broker-address=x:1=y:1"));
    }
}
