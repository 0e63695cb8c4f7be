package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerTopicTest {

    private final MqttDriver driver = new MqttDriver();
    private final ConnectionSettings settings = new ConnectionSettings("mqtt://h", null, null, null, Duration.ofSeconds(1));

    private static Destination topic(String name) {
        return new Destination(Destination.Kind.TOPIC, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/#", "a/+/b", "$share/g/a"})
    void refusesToSendToAFilter(String name) {
        assertThatThrownBy(() -> driver.check(settings, topic(name), ProducerSettings.DEFAULT))
            .isInstanceOf(IllegalArgumentException.class).message().contains("filter").endsWith(".");
    }

    @Test
    void keepsNothingForConsumersThatComeLater() {
        assertThat(driver.keeps(settings, topic("a"))).isFalse();
        assertThat(driver.keeps(settings, new Destination(Destination.Kind.QUEUE, "a"))).isFalse();
    }

    @Test
    void receivesThroughAFilter() {
        driver.check(settings, topic("a/#"));
        driver.check(settings, topic("a/b"), ProducerSettings.DEFAULT);
    }
}
