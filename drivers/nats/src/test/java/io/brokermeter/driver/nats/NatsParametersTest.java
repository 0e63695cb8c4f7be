package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NatsParametersTest {

    /** Guards against parameters that are accepted but have no effect. */
    @ParameterizedTest
    @ValueSource(strings = {"storage=memory", "replicas=3", "ack-wait=5"})
    void refusesParametersOfStreamsWhereThereAreNone(String parameter) {
        var driver = new NatsDriver();
        assertThatThrownBy(() -> driver.check(to("nats://h?mode=core&" + parameter))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(parameter.replaceFirst("=.*", "")).hasMessageContaining("mode=core").message().endsWith(".");
        assertThatCode(() -> driver.check(to("nats://h?" + parameter))).doesNotThrowAnyException();
    }

    @Test
    void keepsMessagesOfQueuesWhereThereAreStreams() {
        var driver = new NatsDriver();
        var queue = new Destination(Destination.Kind.QUEUE, "q");
        assertThat(driver.keeps(to("nats://h"), queue)).isTrue();
        assertThat(driver.keeps(to("nats://h?mode=core"), queue)).isFalse();
        assertThat(driver.keeps(to("nats://h"), new Destination(Destination.Kind.TOPIC, "t"))).isFalse();
    }

    private static ConnectionSettings to(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }
}
