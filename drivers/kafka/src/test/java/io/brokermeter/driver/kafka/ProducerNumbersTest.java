package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ProducerNumbers;
import org.junit.jupiter.api.Test;

class ProducerNumbersTest {

    private final Map<String, ProducerNumbers> numbers = Map.of("T", new ProducerNumbers(0), "U", new ProducerNumbers(0));

    private List<Integer> of(Object connection, String topic, Sends... producers) {
        return Stream.of(producers).map(each -> Objects.requireNonNull(numbers.get(topic)).of(each, connection)).toList();
    }

    /** Counted as an additional producer, it would send to another partition. */
    @Test
    void aProducerThatIsMadeAnewKeepsItsNumber() {
        var one = new Sends();
        var two = new Sends();
        var three = new Sends();
        assertThat(of("first", "T", one, two)).containsExactly(0, 1);
        assertThat(of("second", "T", two, one, three)).containsExactly(1, 0, 2);
        assertThat(of("second", "U", three, one)).containsExactly(0, 1);
        assertThat(of("second", "T", one)).as("another producer of the same connection").containsExactly(3);
    }
}
