package io.brokermeter.driver.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderNamesTest {

    private static void check(String name) {
        new CoreDriver().check(new ConnectionSettings("tcp://h:1", null, null, null, Duration.ofSeconds(1)),
            new Destination(Destination.Kind.QUEUE, "q"),
            ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of(name, "y")))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1x", "content-type", "NULL", ""})
    void refusesNamesThatJmsDoesNotAllow(String name) {
        assertThatThrownBy(() -> check(name)).isInstanceOf(IllegalArgumentException.class)
            .message().contains("'" + name + "'").endsWith(".");
    }

    @Test
    void takesNamesThatJmsAllows() {
        check("colour_1");
        check("JMSXGroupSeq");
    }
}
