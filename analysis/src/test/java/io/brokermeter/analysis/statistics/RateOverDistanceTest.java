package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateOverDistanceTest {

    @ParameterizedTest
    @CsvSource({"-0.001, 1, 1, 1, 1, 0", "0, 0, 1, 1, 1, 0", "0, 1, 0, 1, 1, 0", "0, 1, 1, 0, 1, 0", "0, 1, 1, 1, 0, 0",
        "0, 1, 1, 1, 1, -1",
        "Infinity, 1, 1, 1, 1, 0", "0, NaN, 1, 1, 1, 0", "0, 1, Infinity, 1, 1, 0", "0, 1, 1, NaN, 1, 0", "0, 1, 1, 1, Infinity, 0",
        "0, 1, 1, 1, 1, Infinity"})
    void whatIsNoRateIsRefused(double roundTrip, double size, double rate, double most, double seconds, double held) {
        assertThatThrownBy(() -> new RateOverDistance(roundTrip, size, rate, most, seconds, held))
            .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("No rate over a distance: " + roundTrip + " s, ");
    }

    @Test
    void noDistanceAndNoLimitAreAllowed() {
        assertThat(new RateOverDistance(0, 1, 1, Double.POSITIVE_INFINITY, 1))
            .isEqualTo(new RateOverDistance(0, 1, 1, Double.POSITIVE_INFINITY, 1, 0));
    }
}
