package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers by scipy 1.17.1, whose tests were inverted: {@code src/test/scipy/known_answers.py}. */
class HodgesLehmannTest {

    private static final double[] PAIRS = {0.021, -0.013, 0.034, 0.007, 0.048, -0.002, 0.015, 0.029, 0.011, -0.021};
    private static final double[] FIRST = {10.31, 10.07, 9.88, 10.52, 10.19, 9.95, 10.44, 10.02, 10.63, 9.79};
    private static final double[] SECOND = {9.71, 9.46, 9.93, 9.60, 9.29, 9.84, 9.52, 9.66, 9.38, 9.77};
    private static final Offset<Double> TINY = within(1e-12);

    @ParameterizedTest
    @CsvSource({
        "6, 0.95, 0.016, -0.013, 0.048",
        "6, 0.96, 0.016, -0.013, 0.048",
        "10, 0.95, 0.0135, -0.003, 0.029",
        "10, 0.96, 0.0135, -0.003, 0.0295"})
    void intervalsOfPairs(int n, double confidence, double estimate, double low, double high) {
        ConfidenceInterval interval = HodgesLehmann.paired(Arrays.copyOf(PAIRS, n), confidence);
        assertThat(interval.estimate()).isEqualTo(estimate, TINY);
        assertThat(interval.low()).isEqualTo(low, TINY);
        assertThat(interval.high()).isEqualTo(high, TINY);
    }

    @ParameterizedTest
    @CsvSource({
        "6, 6, 0.95, -0.485, -0.85, -0.17",
        "6, 6, 0.96, -0.485, -0.90, -0.14",
        "10, 10, 0.95, -0.555, -0.81, -0.29",
        "10, 10, 0.96, -0.555, -0.84, -0.28",
        "10, 8, 0.95, -0.54, -0.84, -0.27"})
    void intervalsOfIndependentSamples(int m, int n, double confidence, double estimate, double low, double high) {
        ConfidenceInterval interval = HodgesLehmann.shift(Arrays.copyOf(FIRST, m), Arrays.copyOf(SECOND, n), confidence);
        assertThat(interval.estimate()).isEqualTo(estimate, TINY);
        assertThat(interval.low()).isEqualTo(low, TINY);
        assertThat(interval.high()).isEqualTo(high, TINY);
    }

    @ParameterizedTest
    @CsvSource({"6, 0, 0.015625", "6, 1, 0.03125", "10, 8, 0.0244140625", "10, 9, 0.0322265625", "20, 52, 0.02422046661376953",
        "30, 137, 0.024855060502886772"})
    void theSignedRankDistribution(int n, int sum, double probability) {
        assertThat(Arrays.stream(NullDistribution.signedRank(n)).limit(sum + 1L).sum()).isEqualTo(probability, TINY);
        assertThat(Arrays.stream(NullDistribution.signedRank(n)).sum()).isEqualTo(1, TINY);
    }

    @ParameterizedTest
    @CsvSource({"6, 6, 5, 0.020562770562770564", "10, 10, 23, 0.021628526272489117", "20, 20, 127, 0.02454516259468622",
        "8, 12, 22, 0.023672302929268876", "12, 8, 22, 0.023672302929268876"})
    void theMannWhitneyDistribution(int m, int n, int count, double probability) {
        assertThat(Arrays.stream(NullDistribution.mannWhitney(m, n)).limit(count + 1L).sum()).isEqualTo(probability, TINY);
        assertThat(Arrays.stream(NullDistribution.mannWhitney(m, n)).sum()).isEqualTo(1, TINY);
    }

    @Test
    void sidesMayBeExchanged() {
        ConfidenceInterval there = HodgesLehmann.shift(FIRST, SECOND, 0.95);
        ConfidenceInterval back = HodgesLehmann.shift(SECOND, FIRST, 0.95);
        assertThat(back.estimate()).isEqualTo(-there.estimate(), TINY);
        assertThat(back.low()).isEqualTo(-there.high(), TINY);
    }

    @Test
    void theMostTrialsASideAreCompared() {
        double[] many = new double[HodgesLehmann.MOST];
        Arrays.setAll(many, i -> i % 17);
        assertThat(HodgesLehmann.shift(many, many, 0.95).excludes(0)).isFalse();
        assertThat(HodgesLehmann.paired(many, 0.95).excludes(8)).isFalse();
    }

    /** Two, three and four values by hand. */
    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        assertThat(HodgesLehmann.median(new double[] {1, 4})).isEqualTo(2.5);
        assertThat(HodgesLehmann.median(new double[] {1, 4, 90})).isEqualTo(4);
        assertThat(HodgesLehmann.median(new double[] {1, 4, 6, 90})).isEqualTo(5);
        assertThat(HodgesLehmann.median(new double[] {7})).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({"0.09, 0", "0.1, 1", "0.29, 1", "0.31, 2", "0.99, 2", "1, 3", "2, 3"})
    void theLowestValuesThatTogetherAreUnlikely(double most, int count) {
        assertThat(NullDistribution.lowest(new double[] {0.1, 0.2, 0.7}, most)).isEqualTo(count);
    }

    @Test
    void theEndsOfTheRangesAreAllowed() {
        double[] six = {1, 2, 3, 4, 5, 6};
        assertThat(HodgesLehmann.paired(six, 0.968).confidence()).isEqualTo(0.968);
        assertThat(HodgesLehmann.paired(six, 0.5).low()).isGreaterThan(HodgesLehmann.paired(six, 0.968).low());
        assertThatThrownBy(() -> HodgesLehmann.paired(six, 0.4999)).hasMessage("The confidence must be 0.5 to 0.968, not 0.4999");
        assertThatThrownBy(() -> HodgesLehmann.paired(six, 0.9681)).hasMessage("The confidence must be 0.5 to 0.968, not 0.9681");
        assertThatThrownBy(() -> HodgesLehmann.paired(new double[101], 0.95)).hasMessage("There must be 6 to 100 values, not 101");
        assertThatThrownBy(() -> HodgesLehmann.shift(new double[101], six, 0.95)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HodgesLehmann.shift(six, six, 0.97)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HodgesLehmann.shift(six, new double[] {1, 2, 3, 4, 5, Double.POSITIVE_INFINITY}, 0.95))
            .hasMessage("A value is not finite");
    }

    @Test
    void anIntervalIsTurnedIntoOtherUnits() {
        ConfidenceInterval interval = new ConfidenceInterval(0, Math.log(0.5), Math.log(4), 0.95);
        assertThat(interval.exp()).isEqualTo(new ConfidenceInterval(1, 0.5, 4, 0.95));
        assertThat(interval.exp().times(10)).isEqualTo(new ConfidenceInterval(10, 5, 40, 0.95));
        assertThat(interval.exp().covering(0.9)).isEqualTo(new ConfidenceInterval(1, 0.5, 4, 0.9));
    }

    @Test
    void anIntervalHoldsItsEnds() {
        ConfidenceInterval interval = new ConfidenceInterval(2, 1, 3, 0.95);
        assertThat(new boolean[] {interval.excludes(0.99), interval.excludes(1), interval.excludes(3), interval.excludes(3.01)})
            .containsExactly(true, false, false, true);
        assertThat(interval.isWithin(1, 3)).isTrue();
        assertThat(interval.isWithin(1.01, 3)).isFalse();
        assertThat(interval.isWithin(1, 2.99)).isFalse();
    }

    @Test
    void fewerThanSixAreRefused() {
        assertThatThrownBy(() -> HodgesLehmann.paired(new double[5], 0.95)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HodgesLehmann.shift(new double[6], new double[5], 0.95)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HodgesLehmann.paired(new double[] {1, 2, 3, 4, 5, Double.NaN}, 0.95))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HodgesLehmann.paired(new double[6], 0.97)).isInstanceOf(IllegalArgumentException.class);
    }
}
