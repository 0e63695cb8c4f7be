package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServersTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = ';', value = {
        "tcp://localhost:61616; localhost:61616",
        "tcp://localhost:61616?confirmationWindowSize=1048576; localhost:61616",
        "(tcp://a:1?x=y,tcp://b:2)?ha=true; a:1 b:2",
        "failover:(amqp://h:1,amqp://h:2)?failover.x=1; h:1 h:2",
        "kafka://h1:9092,h2:9093; h1:9092 h2:9093",
        "kafka://h1,h2; h1:9092 h2:9092",
        "amqp://127.0.0.1; 127.0.0.1:5672",
        "amqp://user:word@h:5673/vhost; h:5673",
        "mqtt://[::1]:1884; ::1:1884",
        "mqtt://[fe80::1%eth0]:1884; fe80::1%eth0:1884",
        "redis://localhost/0; localhost:6379",
        "rocketmq://127.0.0.1:9876; 127.0.0.1:9876",
        "unknown://h; ''",
        "vm://0; ''",
        "loopback:x; ''",
        "tcp://h:0; ''",
        "tcp://h:99999; ''",
        "tcp://h:1,h:1; h:1",
    })
    void findsTheServersOfAUrl(String url, String servers) {
        assertThat(Servers.of(url).stream().map(s -> s.host() + ":" + s.port()).toList())
            .isEqualTo(servers.isEmpty() ? List.of() : List.of(servers.split(" ")));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = ';', value = {
        "tcp://localhost:61616?x=1; tcp://p:61617?x=1",
        "(tcp://a:1?x=y,tcp://b:2)?ha=true; (tcp://p:2?x=y,tcp://p:3)?ha=true",
        "failover:(amqp://h:1,amqp://h:2)?failover.x=1; failover:(amqp://p:2,amqp://p:3)?failover.x=1",
        "kafka://h1:9092,h2; kafka://p:9093,p:9093",
        "amqp://user:word@h:5673/vhost; amqp://user:word@p:5674/vhost",
        "mqtt://[::1]:1884; mqtt://p:1885",
    })
    void replacesTheServersOfAUrl(String url, String other) {
        assertThat(Servers.replaced(url, server -> new Servers.Server("p", server.port() + 1))).isEqualTo(other);
    }

    /** RocketMQ separates several name servers by semicolons, and its driver accepts that. */
    @Test
    void semicolonsOfRocketMqSeparateServersAsCommasDo() {
        String url = "rocketmq://a:1;b,c:3?group=x;y";
        assertThat(Servers.of(url)).containsExactly(new Servers.Server("a", 1), new Servers.Server("b", 9876), new Servers.Server("c", 3));
        assertThat(Servers.replaced(url, server -> new Servers.Server("p", server.port() + 1)))
            .isEqualTo("rocketmq://p:2,p:9877,p:4?group=x;y");
        assertThat(Servers.of("amqp://user:1;2@h:5673")).containsExactly(new Servers.Server("h", 5673));
    }

    @Test
    void aUrlWithoutServersCannotHaveOthers() {
        assertThatThrownBy(() -> Servers.replaced("vm:0", server -> server)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("no host");
        assertThatThrownBy(() -> Servers.replaced("unknown://h", server -> server)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("must name the port of h");
    }
}
