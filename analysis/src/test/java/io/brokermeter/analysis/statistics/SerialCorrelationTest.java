package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;

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
