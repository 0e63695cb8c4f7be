package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.Noise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatioVerdictTest {

    @ParameterizedTest
    @CsvSource({
        // a difference, in both directions alike
        "0.95, 0.93, 0.98, LESS", "1.05, 1.02, 1.08, MORE",
        // the interval excludes 1, but the effect is below the limit
        "0.98, 0.975, 0.99, SAME", "0.98, 0.96, 0.99, UNDECIDED",
        // no difference, and intervals too wide to show that
        "1.00, 0.98, 1.02, SAME", "1.00, 0.96, 1.05, UNDECIDED", "0.95, 0.90, 1.01, UNDECIDED",
        // exactly at the limit
        "1.03, 1.01, 1.06, MORE", "1, 0.970874, 1.03, SAME"})
    void aDifferenceIsClaimedWhenOneIsExcludedAndTheEffectCounts(double estimate, double low, double high, RatioVerdict verdict) {
        assertThat(RatioVerdict.of(new ConfidenceInterval(estimate, low, high, 0.95), 0.03)).isEqualTo(verdict);
    }

    /** Trials of a sweep, unpaired, ten a side. */
    @ParameterizedTest
    @CsvSource({"0.01", "0.02", "0.03"})
    void tenTrialsASideOfTheSameThingAreCalledDifferentInThreeOfAHundredAtMost(double spread) {
        SplittableRandom random = new SplittableRandom(5);
        int different = 0;
        int found = 0;
        for (int i = 0; i < 1_000; i++) {
            double[] first = Noise.trials(random, 10, 10_000, spread);
            different += of(HodgesLehmann.shift(first, Noise.trials(random, 10, 10_000, spread), 0.95)).isDifference() ? 1 : 0;
            found += of(HodgesLehmann.shift(first, Noise.trials(random, 10, 9_500, spread), 0.95)) == RatioVerdict.LESS ? 1 : 0;
        }
        assertThat(different).isLessThanOrEqualTo(30);
        assertThat(found).isGreaterThanOrEqualTo(spread > 0.025 ? 800 : 900);
    }

    private static RatioVerdict of(ConfidenceInterval logarithms) {
        return RatioVerdict.of(logarithms.exp(), 0.03);
    }

    @Test
    void sidesMayBeExchanged() {
        assertThat(RatioVerdict.of(new ConfidenceInterval(1 / 0.96, 1 / 0.98, 1 / 0.94, 0.95), 0.03)).isEqualTo(RatioVerdict.MORE);
        assertThat(RatioVerdict.of(new ConfidenceInterval(0.96, 0.94, 0.98, 0.95), 0.03)).isEqualTo(RatioVerdict.LESS);
    }
}
