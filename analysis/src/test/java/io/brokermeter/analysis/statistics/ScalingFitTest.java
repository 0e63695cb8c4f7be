package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fits of the Universal Scalability Law to rates of known coefficients. */
class ScalingFitTest {

    static final double[] NUMBERS = {1, 2, 4, 8, 16, 32};

    static double law(double alone, double contention, double coherency, double n) {
        return alone * n / (1 + contention * (n - 1) + coherency * n * (n - 1));
    }

    @ParameterizedTest
    @CsvSource({"0.05, 0.001", "0.3, 0.01", "0.02, 0.00002", "0.9, 0.05", "0.001, 0.0001"})
    void recoversCoefficientsOfRatesWithoutNoise(double contention, double coherency) {
        ScalingFit fit = ScalingFit.of(NUMBERS, Arrays.stream(NUMBERS).map(n -> law(10_000, contention, coherency, n)).toArray(),
            new double[] {0.001, 0.001, 0.001, 0.001, 0.001, 0.001});
        assertThat(fit.alone().estimate()).isCloseTo(10_000, within(5.0));
        assertThat(fit.contention().estimate()).isCloseTo(contention, within(0.01 * contention + 1e-4));
        assertThat(fit.coherency().estimate()).isCloseTo(coherency, within(0.01 * coherency + 1e-6));
        assertThat(fit.hurts().estimate()).isCloseTo(Math.max(1, Math.sqrt((1 - contention) / coherency)), within(1.0));
        assertThat(fit.scatter()).isEqualTo(1);
        assertThat(fit.contention().excludes(contention)).isFalse();
        assertThat(fit.coherency().excludes(coherency)).isFalse();
    }

    /** Rates in proportion to the number: nothing is shared, and no end of it is in sight. */
    @Test
    void proportionalRatesHaveNoContention() {
        ScalingFit fit = ScalingFit.of(NUMBERS, Arrays.stream(NUMBERS).map(n -> 500 * n).toArray(), spreads(NUMBERS.length, 0.02));
        assertThat(fit.contention().estimate()).isLessThan(0.001);
        assertThat(fit.contention().low()).isZero();
        assertThat(fit.coherency().low()).isZero();
        assertThat(fit.pays().low()).isGreaterThan(32);
        assertThat(fit.hurts().low()).isGreaterThan(32);
        assertThat(fit.hurts().high()).isInfinite();
    }

    /** A broker that one alone already fills: twice as many bring nothing, and nothing is lost either. */
    @Test
    void constantRatesPayNowhere() {
        ScalingFit fit = ScalingFit.of(NUMBERS, spreads(NUMBERS.length, 5_000), spreads(NUMBERS.length, 0.02));
        assertThat(fit.contention().estimate()).isGreaterThan(0.95);
        assertThat(fit.pays().high()).isLessThan(1.5);
        assertThat(fit.hurts().high()).isInfinite();
    }

    /** With three rates each of which is uncertain by a fifth, the ends of the course are open. */
    @Test
    void fewUncertainRatesTellLittle() {
        double[] numbers = {1, 2, 4};
        ScalingFit fit = ScalingFit.of(numbers, new double[] {1_000, 1_800, 3_100}, spreads(3, 0.2));
        assertThat(fit.pays().high()).isInfinite();
        assertThat(fit.pays().low()).isGreaterThan(1);
        assertThat(fit.hurts().high()).isInfinite();
        assertThat(fit.scatter()).isEqualTo(1);
        assertThatThrownBy(() -> ScalingFit.of(new double[] {1, 2}, new double[] {1, 2}, new double[] {1, 1}))
            .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ratesThatFollowNoLawWidenTheIntervals() {
        double[] rates = {10_000, 14_000, 45_000, 30_000, 90_000, 60_000};
        ScalingFit fit = ScalingFit.of(NUMBERS, rates, spreads(6, 0.02));
        ScalingFit sure = ScalingFit.of(NUMBERS, Arrays.stream(NUMBERS).map(fit::at).toArray(), spreads(6, 0.02));
        assertThat(fit.scatter()).isGreaterThan(5);
        assertThat(fit.contention().high() - fit.contention().low()).isGreaterThan(sure.contention().high() - sure.contention().low());
    }

    /** Up to that number, twice as many bring a tenth more or more, and beyond it less, however the two coefficients compare. */
    @ParameterizedTest
    @CsvSource({"0.3, 0.01", "0.02, 0.00002", "0.001, 0.02", "0, 0.003", "0.3, 0", "0.9, 0.05"})
    void addingPaysAsLongAsTwiceAsManyBringATenth(double contention, double coherency) {
        double[] rates = Arrays.stream(NUMBERS).map(n -> law(100, contention, coherency, n)).toArray();
        ScalingFit fit = ScalingFit.of(NUMBERS, rates, spreads(6, 0.01));
        double pays = fit.pays().estimate();
        double s = fit.contention().estimate();
        double k = fit.coherency().estimate();
        double closest = pays == 1 ? 2 : pays;
        assertThat(law(1, s, k, 2 * closest * 0.9999)).as("up to it").matches(at -> pays == 1 || at > 1.1 * law(1, s, k, closest * 0.9999));
        assertThat(law(1, s, k, 2 * closest * 1.0001)).as("beyond it").isLessThan(1.1 * law(1, s, k, closest * 1.0001));
    }

    private static double[] spreads(int count, double value) {
        double[] all = new double[count];
        Arrays.fill(all, value);
        return all;
    }

    private static void isInterval(ConfidenceInterval found, double estimate, double low, double high) {
        assertThat(found.estimate()).isCloseTo(estimate, withinPercentage(0.01));
        assertThat(found.low()).isCloseTo(low, within(0.03 * (high - low)));
        assertThat(found.high()).isCloseTo(high, within(0.03 * (high - low)));
        assertThat(found.confidence()).isEqualTo(0.95);
    }

    /**
     * Known answers by {@code src/test/scipy/known_answers.py}, which follows the border of the region that the rates leave possible. Adding
     * pays little from (1 - s) / s x 4.5 on without coherency, and hurts from the root of (1 - s) / k on.
     */
    @Test
    void intervalsReachToTheBorderOfWhatTheRatesLeavePossible() {
        double[] rates = Arrays.stream(NUMBERS).map(n -> law(10_000, 0.1, 0.001, n)).toArray();
        ScalingFit equal = ScalingFit.of(NUMBERS, rates, spreads(6, 0.03));
        isInterval(equal.alone(), 10_000, 9_563.1, 10_461.1);
        isInterval(equal.contention(), 0.1, 0.080467, 0.120899);
        isInterval(equal.coherency(), 0.001, 0.00033786, 0.0016459);
        isInterval(equal.pays(), 14.70359, 12.4904, 20.0225);
        isInterval(equal.hurts(), 30, 23.5932, 51.0953);

        ScalingFit different = ScalingFit.of(NUMBERS, rates, new double[] {0.01, 0.02, 0.03, 0.03, 0.02, 0.01});
        isInterval(different.alone(), 10_000, 9_820.3, 10_183.1);
        isInterval(different.contention(), 0.1, 0.088115, 0.112317);
        isInterval(different.coherency(), 0.001, 0.00061804, 0.0013724);
        isInterval(different.pays(), 14.70359, 13.3334, 16.9233);
        isInterval(different.hurts(), 30, 25.7648, 37.9150);
        assertThat(different.at(8)).isCloseTo(law(10_000, 0.1, 0.001, 8), withinPercentage(0.01));
        assertThat(different.scatter()).isEqualTo(1);

        ScalingFit scattered = ScalingFit.of(NUMBERS, new double[] {9_700, 17_900, 31_500, 46_000, 57_000, 51_000}, spreads(6, 0.01));
        assertThat(scattered.scatter()).isCloseTo(1.48869, withinPercentage(0.01));
        isInterval(scattered.alone(), 9_685.99, 9_474.86, 9_902.96);
        isInterval(scattered.contention(), 0.0704596, 0.0610645, 0.0801645);
        isInterval(scattered.coherency(), 0.00289520, 0.00256136, 0.00322755);

        ScalingFit without = ScalingFit.of(NUMBERS, Arrays.stream(NUMBERS).map(n -> law(10_000, 0.1, 0, n)).toArray(), spreads(6, 0.001));
        assertThat(without.pays().estimate()).isCloseTo(40.5, within(0.5));
    }
}
