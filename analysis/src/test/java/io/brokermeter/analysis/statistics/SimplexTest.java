package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

class SimplexTest {

    @Test
    void theMinimumOfKnownFunctionsIsFound() {
        // Rosenbrock's valley: 0 at (1, 1). Powell's singular function: 0 at the origin.
        Simplex.Minimum valley =
            Simplex.of(x -> 100 * Math.pow(x[1] - x[0] * x[0], 2) + Math.pow(1 - x[0], 2), new double[] {-1.2, 1}, 0.5);
        assertThat(valley.at()[0]).isCloseTo(1, within(1e-4));
        assertThat(valley.at()[1]).isCloseTo(1, within(1e-4));

        Simplex.Minimum powell = Simplex.of(x -> Math.pow(x[0] + 10 * x[1], 2) + 5 * Math.pow(x[2] - x[3], 2) + Math.pow(x[1] - 2 * x[2], 4)
            + 10 * Math.pow(x[0] - x[3], 4), new double[] {3, -1, 0, 1}, 0.5);
        assertThat(powell.value()).isLessThan(1e-6);
    }

    @Test
    void aFunctionOfNothingHasItsOneValue() {
        assertThat(Simplex.of(x -> 7, new double[0], 1).value()).isEqualTo(7);
    }

    /** The start is kept where nothing is lower, and is not written into. */
    @Test
    void theStartMayBeTheMinimum() {
        double[] start = {2, -3};
        Simplex.Minimum found = Simplex.of(x -> Math.abs(x[0] - 2) + Math.abs(x[1] + 3), start, 0.5);
        assertThat(found.value()).isLessThan(1e-6);
        assertThat(start).containsExactly(2, -3);
    }

    /** A quadratic of two variables needs some hundred looks, not the thousands that a method would take that no longer contracts. */
    @Test
    void aBowlIsFoundInFewLooks() {
        int[] looks = {0};
        Simplex.Minimum found = Simplex.of(x -> {
            looks[0]++;
            return Math.pow(x[0] - 5, 2) + 3 * Math.pow(x[1] + 2, 2);
        }, new double[] {0, 0}, 1);
        assertThat(found.at()[0]).isCloseTo(5, within(1e-4));
        assertThat(found.at()[1]).isCloseTo(-2, within(1e-4));
        assertThat(looks[0]).isLessThan(600);
    }

    @Test
    void aBendDoesNotStopIt() {
        Simplex.Minimum bent = Simplex.of(x -> Math.max(Math.abs(x[0] - 3), 2 * Math.abs(x[1] + 1)), new double[] {0, 0}, 0.5);
        assertThat(bent.at()[0]).isCloseTo(3, within(1e-3));
        assertThat(bent.at()[1]).isCloseTo(-1, within(1e-3));
    }

    /** What a function was asked, in order, and what it said: given values, whatever the point, and the last of them from then on. */
    private static List<List<Double>> asked(double... said) {
        List<List<Double>> points = new ArrayList<>();
        Simplex.of(x -> {
            points.add(Arrays.stream(x).boxed().toList());
            return said[Math.min(points.size(), said.length) - 1];
        }, new double[] {0, 0}, 1);
        return points;
    }

    /** Every move of Nelder and Mead by hand, with the usual coefficients 1, 2, 1/2 and 1/2. */
    @Test
    void eachMoveHasTheUsualCoefficients() {
        List<List<Double>> points =
            asked(3, 2, 1, 0.5, 0.4, 0.3, 0.35, 0.35, 0.38, 0.36, 5, 0.34, 0.3, 0.3, 0.3, 0.32, 0.33, 0.33, 0.33, 9);
        assertThat(points.subList(0, 3)).as("corners").isEqualTo(List.of(List.of(0.0, 0.0), List.of(1.0, 0.0), List.of(0.0, 1.0)));
        assertThat(points.subList(3, 5)).as("reflected, and expanded for good").isEqualTo(List.of(List.of(1.0, 1.0), List.of(1.5, 1.5)));
        assertThat(points.subList(5, 7)).as("reflected, and expanded in vain").isEqualTo(List.of(List.of(0.5, 2.5), List.of(0.25, 3.75)));
        assertThat(points.get(7)).as("reflected alone").isEqualTo(List.of(2.0, 3.0));
        assertThat(points.subList(8, 10)).as("contracted outside").isEqualTo(List.of(List.of(1.0, 4.0), List.of(1.125, 3.375)));
        assertThat(points.subList(10, 12)).as("contracted inside").isEqualTo(List.of(List.of(1.375, 2.125), List.of(1.1875, 3.0625)));
        assertThat(points.get(12)).as("as good as the best, so reflected alone").isEqualTo(List.of(-0.3125, 2.5625));
        assertThat(points.subList(13, 15)).as("contracted in vain").isEqualTo(List.of(List.of(-1.0, 2.0), List.of(-0.453125, 2.265625)));
        assertThat(points.subList(15, 17)).as("shrunk").isEqualTo(List.of(List.of(0.09375, 2.53125), List.of(0.84375, 2.78125)));
        assertThat(points.subList(17, 19)).as("as bad as the worst, so contracted inside")
            .isEqualTo(List.of(List.of(-0.25, 2.25), List.of(0.5703125, 2.6484375)));
    }

    /** Nothing is gained: 20 halvings until corners are closer than 1e-6, each of four looks, and 19 from the restart at half the step. */
    @Test
    void aPlainIsLeftWhenARestartGainsNothing() {
        List<List<Double>> points = asked(7);
        assertThat(points).hasSize(3 + 20 * 4 + 3 + 19 * 4);
        assertThat(points.subList(83, 86)).isEqualTo(List.of(List.of(0.0, 0.0), List.of(0.5, 0.0), List.of(0.0, 0.5)));
    }

    /** Each look is better than all before it, so each step takes two: 4,000 steps from the start and from each of six restarts. */
    @Test
    void aSlopeWithoutAnEndIsLeftAtLast() {
        int[] looks = {0};
        assertThat(Simplex.of(_ -> -(++looks[0]), new double[] {0, 0}, 1).value()).isEqualTo(-7 * (3 + 4_000 * 2));
    }
}
