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
    void aBendDoesNotStopIt() {
        Simplex.Minimum bent = Simplex.of(x -> Math.max(Math.abs(x[0] - 3), 2 * Math.abs(x[1] + 1)), new double[] {0, 0}, 0.5);
        assertThat(bent.at()[0]).isCloseTo(3, within(1e-3));
        assertThat(bent.at()[1]).isCloseTo(-1, within(1e-3));
    }
}
