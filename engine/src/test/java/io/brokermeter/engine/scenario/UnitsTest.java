package io.brokermeter.engine.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

    @ParameterizedTest(name = "{0} is {1} ms")
    @CsvSource({"30, 30000", "30s, 30000", "5m, 300000", "1.5s, 1500", "250ms, 250", "0, 0", "2h, 7200000"})
    void readsDurations(String text, long millis) {
        assertThat(Units.duration(text, "s").toMillis()).isEqualTo(millis);
    }

    @ParameterizedTest
    @CsvSource({"90s, 90s", "0, 0s", "1.5s, 1500ms", "0.5ms, 500us", "1.5us, 1500ns"})
    void writesDurationsWholeAndSoThatTheyAreReadAgain(String text, String written) {
        Duration time = Units.duration(text, "s");
        assertThat(Units.text(time)).isEqualTo(written);
        assertThat(Units.duration(written, "s")).isEqualTo(time);
    }

    @ParameterizedTest(name = "{0} is {1} bytes")
    @CsvSource({"1024, 1024", "1k, 1024", "1KiB, 1024", "1kB, 1000", "1kb, 1000", "2MiB, 2097152", "0.5KiB, 512", "39B, 39"})
    void readsSizes(String text, int bytes) {
        assertThat(Units.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "", "1.2.3s", "5 parsecs", "0.1ns"})
    void refusesOtherDurations(String text) {
        assertThatThrownBy(() -> Units.duration(text, "s")).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "", "1.5", "9999999999999", "1TB"})
    void refusesOtherSizes(String text) {
        assertThatThrownBy(() -> Units.bytes(text)).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({"10, 10", "10k, 10000", "2M, 2000000"})
    void readsCounts(String text, long count) {
        assertThat(Units.count(text)).isEqualTo(count);
    }
}
