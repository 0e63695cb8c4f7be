package io.brokermeter.engine.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {

    @ParameterizedTest(name = "{0} is {1} events in {2} s")
    @CsvSource({"100, 100, 1", "100/s, 100, 1", "37k, 37000, 1", "37k/s, 37000, 1", "1.5M, 1500000, 1", "0.5, 1, 2", "60/m, 1, 1",
        "1/h, 1, 3600", "2.5, 5, 2", "1e3, 1000, 1"})
    void readsWhatUsersWrite(String text, long events, long seconds) {
        assertThat(Rate.parse(text)).isEqualTo(new Rate(events, seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "0", "-5", "1/y", "10kk", "NaN", "99999M", "0.0000001", "1e400"})
    void refusesTheRestInOneSentence(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).isInstanceOf(UsageException.class).hasMessageStartingWith("Rate '");
    }

    @Test
    void multiplies() {
        assertThat(Rate.parse("0.5").times(60)).isEqualTo(Rate.perSecond(30));
    }
}
