package io.brokermeter.spi.parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlLoginTest {

    /** Otherwise a part of the password would remain in the URL, and every message that contains the URL would disclose it. */
    @ParameterizedTest
    @ValueSource(
        strings = {"amqp://user:geh/eim@host", "redis://:geh/eim@host:6379", "tcp://user:geh?eim@host:1", "tcp://user:geh#eim@host",
            "amqp://user:geh,eim@host:1", "nats://user:geh,12@a:1,b:2", "failover:(tcp://user:geh/eim@a:1,tcp://user:geh/eim@b:1)",
            "failover:(tcp://user:geh)eim@a:1)"})
    void refusesAPasswordThatEndsTooEarly(String url) {
        assertThatThrownBy(() -> UrlLogin.of(url)).isInstanceOf(IllegalArgumentException.class).message().contains("%2F")
            .doesNotContain("geh", "eim");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"amqp://guest:guest@[::1]:5672 amqp://[::1]:5672", "tcp://u:p%2Fw@a tcp://a",
        "failover:(amqp://u:p@a:1,amqp://u:p@b:2)?jms.x=y@z failover:(amqp://a:1,amqp://b:2)?jms.x=y@z",
        "nats://u:p@a:1,b:2?x=a@b nats://a:1,b:2?x=a@b", "redis://:p@h:6379 redis://h:6379", "amqp://u:a@b@h:1 amqp://h:1"})
    void takesTheOthersOut(String url, String left) {
        var login = UrlLogin.of(url);
        assertThat(login).isNotNull();
        assertThat(login.url()).isEqualTo(left);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqtt://h:1883?client=a@b", "mqtt://h?client=a@b", "tcp://[::1]:61616?x=a@b", "rocketmq://a:1;b:2?x=y@z",
        "(tcp://a:1,tcp://b:2)?ha=true&x=a@b", "tcp://a:1#tcp://b:2?x=a@b", "amqp://h:5672/vhost@x"})
    void findsNoneInOthers(String url) {
        assertThat(UrlLogin.of(url)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stomp://h:99999?passcode=geheim", "stomp://h:99999?x=1&my-token=geheim", "stomp://:1?secretKey=geheim",
        "stomp://h:x?a=b&sslPassword=geheim"})
    void noSentenceOnAUrlTellsItsSecrets(String url) {
        assertThatThrownBy(() -> ServerUrl.parse(url, Set.of("stomp"), 1)).isInstanceOf(IllegalArgumentException.class).message()
            .contains("***").doesNotContain("geheim");
    }
}
