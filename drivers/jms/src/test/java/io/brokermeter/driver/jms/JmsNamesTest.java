package io.brokermeter.driver.jms;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JmsNamesTest {

    private static void check(String name) {
        JmsNames.check(ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of()),
            new MessageVariant(null, -1, Map.of(name, "y")))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1x", "content-type", "NULL", ""})
    void refusesNamesThatJmsDoesNotAllow(String name) {
        assertThatThrownBy(() -> check(name)).isInstanceOf(IllegalArgumentException.class)
            .message().contains("'" + name + "'").endsWith(".");
    }

    @ParameterizedTest
    @ValueSource(strings = {"colour_1", "JMSXGroupSeq", "$x", "null"})
    void takesNamesThatJmsAllows(String name) {
        assertThatCode(() -> check(name)).doesNotThrowAnyException();
    }
}
