package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SerialCorrelationTest {

    /** Series about their own means: (-1, 0, 1) twice; the products are 0, the squares 4; then one of alternating values. */
    @Test
    void theCoefficientIsThatOfAllSeriesTogether() {
        assertThat(SerialCorrelation.of(new double[] {1, 2, 3, 4, 5}, new double[] {7, 9, 7, 9}).coefficient())
            .isCloseTo((4.0 - 3.0) / (10 + 4), within(1e-12));
    }

    @Test
    void fewOrConstantValuesHaveNone() {
        assertThat(SerialCorrelation.of(new double[] {1, 2, 3, 4}, new double[] {1, 2, 3, 4})).isNotNull();
        assertThat(SerialCorrelation.of(new double[] {1, 2, 3, 4}, new double[] {1, 2, 3})).isNull();
        assertThat(SerialCorrelation.of(new double[20])).isNull();
        assertThat(SerialCorrelation.of(new double[0], new double[] {1})).isNull();
    }

    /**
     * The shares of all 5,040 orders of seven values that have such a coefficient or a higher one, counted by
     * {@code src/test/scipy/known_answers.py}; 999 random orders miss them by at most four standard errors of 0.016 at most.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|',
        value = {"1 3 2 4 5 7 6|0.5|0.021429", "1 2 3 4 5 6 7|0.571429|0.010317", "5 1 4 2 6 3 7|-0.428571|0.816667"})
    void thePValueIsTheShareOfOrdersThatAreAsAlike(String words, double coefficient, double share) {
        double[] values = Stream.of(words.split(" ")).mapToDouble(Double::parseDouble).toArray();
        SerialCorrelation found = SerialCorrelation.of(values);
        assertThat(found.coefficient()).isCloseTo(coefficient, within(1e-6));
        assertThat(found.pValue()).isCloseTo(share, within(4 * Math.sqrt(share * (1 - share) / 999) + 0.001));
    }

    /** One value differs from the six others: nowhere is it less like its neighbours than between them, and at an end it is more so. */
    @Test
    void everyOrderIsAtLeastAsAlikeAsTheLeastAlike() {
        assertThat(SerialCorrelation.of(new double[] {0, 0, 0, 7, 0, 0, 0}).pValue()).isEqualTo(1);
        assertThat(SerialCorrelation.of(new double[] {7, 0, 0, 0, 0, 0, 0}).pValue()).isCloseTo(2 / 7.0,
            within(4 * Math.sqrt(10 / 49.0 / 999)));
    }

    @Test
    void onlyAlikeNeighboursAreSignificantAndOnlyBeyondChance() {
        assertThat(new SerialCorrelation(0.1, 0.05).isSignificant()).isTrue();
        assertThat(new SerialCorrelation(0.1, 0.051).isSignificant()).isFalse();
        assertThat(new SerialCorrelation(0, 0.01).isSignificant()).isFalse();
        assertThat(new SerialCorrelation(-0.4, 0.01).isSignificant()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"8, 0, 0, 0.08", "30, 0, 0, 0.08", "30, 0.6, 0.85, 1"})
    void noiseThatLastsIsToldFromNoiseThatDoesNot(int n, double correlation, double least, double most) {
        SplittableRandom random = new SplittableRandom(4);
        int found = 0;
        for (int i = 0; i < 300; i++) {
            found += SerialCorrelation.of(Noise.correlated(random, n, correlation, 0.02)).isSignificant() ? 1 : 0;
        }
        assertThat(found / 300.0).isBetween(least, most);
    }
}
