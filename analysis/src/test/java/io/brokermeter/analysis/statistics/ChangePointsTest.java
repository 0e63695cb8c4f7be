package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangePointsTest {

    /**
     * Returns logarithms with noise of 2 %, whose level changes at the indices {@code shifts}, alternately by the factor {@code change} and
     * back.
     */
    private static double[] series(SplittableRandom random, int n, double change, int... shifts) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            int at = i;
            long passed = IntStream.of(shifts).filter(shift -> shift <= at).count();
            values[i] = Math.log(40_000) + (passed % 2 == 0 ? 0 : Math.log(change)) + 0.02 * random.nextGaussian();
        }
        return values;
    }

    private static List<Integer> found(double[] values) {
        return ChangePoints.usual(1).in(values).stream().map(ChangePoints.Change::index).toList();
    }

    /** Known answers by numpy: {@code src/test/scipy/known_answers.py}. */
    @Test
    void theBestDivisionAndItsQuality() {
        double[] values = {4, 7, 5, 6, 4, 6, 11, 13, 12, 10, 14, 12};
        ChangePoints.Split split = ChangePoints.split(values, 0, values.length, 2, true);
        assertThat(split.index()).isEqualTo(6);
        assertThat(split.quality()).isEqualTo(30.4, within(1e-9));
        assertThat(ChangePoints.split(values, 0, values.length, 2, false).quality()).isEqualTo(30.4, within(1e-9));
    }

    /** Known answers by the same script. A temporary shift is divided best at its beginning if the second part may end with the shift. */
    @Test
    void theBestDivisionOfAStretchThatComesAndGoes() {
        double[] values = {4, 7, 5, 6, 4, 6, 11, 13, 12, 5, 4, 7, 6, 5, 6};
        ChangePoints.Split split = ChangePoints.split(values, 0, values.length, 3, true);
        assertThat(split.index()).isEqualTo(6);
        assertThat(split.quality()).isEqualTo(316 / 15.0, within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"30, 20", "40, 25", "60, 50", "80, 74"})
    void aChangeOfFivePercentIsFoundWhereItWasPut(int n, int shift) {
        SplittableRandom random = new SplittableRandom(7);
        int right = 0;
        for (int i = 0; i < 100; i++) {
            List<Integer> found = found(series(random, n, 0.95, shift));
            right += !found.isEmpty() && found.stream().anyMatch(index -> Math.abs(index - shift) <= 2) ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(90);
    }

    @Test
    void thereAndBackAreTwoChanges() {
        SplittableRandom random = new SplittableRandom(9);
        int right = 0;
        for (int i = 0; i < 50; i++) {
            List<Integer> found = found(series(random, 60, 0.93, 20, 40));
            right += found.size() == 2 && Math.abs(found.getFirst() - 20) <= 1 && Math.abs(found.getLast() - 40) <= 1 ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(45);
    }

    /** A regression in the builds of some nights, until it was fixed. */
    @ParameterizedTest
    @CsvSource({"40, 17, 25", "60, 27, 34", "60, 40, 48", "100, 48, 55"})
    void aFewRunsThatAreSlowerAreFoundAmongMany(int n, int from, int to) {
        SplittableRandom random = new SplittableRandom(5);
        int right = 0;
        for (int i = 0; i < 20; i++) {
            List<Integer> found = found(series(random, n, 0.9, from, to));
            right += found.size() == 2 && Math.abs(found.getFirst() - from) <= 1 && Math.abs(found.getLast() - to) <= 1 ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(18);
    }

    @ParameterizedTest
    @CsvSource({"20", "60"})
    void hardlyAnySeriesWithoutAChangeIsGivenOne(int n) {
        SplittableRandom random = new SplittableRandom(11);
        int wrong = 0;
        for (int i = 0; i < 300; i++) {
            wrong += found(series(random, n, 1)).isEmpty() ? 0 : 1;
        }
        assertThat(wrong).isLessThanOrEqualTo(9);
    }

    @Test
    void oneWildValueIsNoLevel() {
        double[] values = series(new SplittableRandom(13), 40, 1);
        values[20] -= 0.5;
        assertThat(found(values)).isEmpty();
    }

    @Test
    void theSameSeriesHasTheSameChanges() {
        double[] values = series(new SplittableRandom(15), 50, 0.97, 30);
        assertThat(ChangePoints.usual(1).in(values)).isEqualTo(ChangePoints.usual(1).in(values));
    }

    @Test
    void fewerThanTwentyValuesHaveNoChanges() {
        assertThat(found(series(new SplittableRandom(17), 19, 0.5, 10))).isEmpty();
    }

    @Test
    void valuesThatAreAllAlikeHaveNoChanges() {
        assertThat(found(new double[30])).isEmpty();
    }
}
