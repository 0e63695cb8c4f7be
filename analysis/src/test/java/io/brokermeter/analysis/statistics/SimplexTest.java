package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
}
