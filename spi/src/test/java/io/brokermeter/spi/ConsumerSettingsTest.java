package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerSettingsTest {

    @ParameterizedTest
    @CsvSource({"0, 1000, 1000", "1, 1000, 1000", "10000, 1000, 1000", "10000, 10000, 1677", "16777216, 1000, 1", "2147483647, 1000, 1",
        "1000000, 1, 1"})
    void holdsSoManyBytesAtMost(int bytes, int usual, int expected) {
        assertThat(ConsumerSettings.of(its -> its.messageBytes = bytes).fit(usual)).isEqualTo(expected);
    }
}
