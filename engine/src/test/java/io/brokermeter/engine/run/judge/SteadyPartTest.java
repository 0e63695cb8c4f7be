package io.brokermeter.engine.run.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

class SteadyPartTest {

    private static final int RUNS = 500;

    private static double[] series(int length, IntToDoubleFunction of) {
        return IntStream.range(0, length).mapToDouble(of).toArray();
    }

    /** Returns how many of many seeded series with noise of 1 have not become steady after any of some lengths. */
    private static int notYet(double memory, IntToDoubleFunction trend, int... lengths) {
        int count = 0;
        for (int run = 0; run < RUNS; run++) {
            SplittableRandom random = new SplittableRandom(run);
            double[] last = {random.nextGaussian()};
            double[] all = series(lengths[lengths.length - 1], i -> {
                last[0] = memory * last[0] + Math.sqrt(1 - memory * memory) * random.nextGaussian();
                return trend.applyAsDouble(i) + last[0];
            });
            count += IntStream.of(lengths).allMatch(length -> SteadyPart.begin(Arrays.copyOf(all, length)) == SteadyPart.NOT_YET) ? 1 : 0;
        }
        return count;
    }

    @Test
    void aConstantSeriesIsSteadyFromItsStart() {
        assertThat(SteadyPart.begin(series(50, _ -> 7))).isZero();
    }

    /** Times are recorded in buckets: at the edge of one, a constant time falls into one or the other. */
    @Test
    void aSeriesBetweenTwoBucketsIsSteadyFromItsStart() {
        assertThat(SteadyPart.begin(series(50, i -> i < 25 ? 2_000_895 : 2_001_919))).isZero();
        assertThat(SteadyPart.begin(series(50, i -> i < 25 ? 98.9 : 100))).isEqualTo(SteadyPart.NOT_YET);
        assertThat(SteadyPart.begin(series(50, i -> i < 25 ? 99.1 : 100))).isZero();
    }

    @Test
    void aStepEndsWhereItEnds() {
        assertThat(SteadyPart.begin(series(100, i -> i < 30 ? 20 : 1 + i % 2))).isEqualTo(30);
    }

    @Test
    void aDecayIsCutWhereItHasDisappearedInTheNoise() {
        SplittableRandom random = new SplittableRandom(1);
        assertThat(SteadyPart.begin(series(150, i -> 100 * Math.exp(-i / 10.0) + random.nextGaussian()))).isBetween(20, 60);
    }

    @Test
    void aTransientOfMoreThanHalfOfTheSeriesIsNotOverYet() {
        assertThat(SteadyPart.begin(series(100, i -> i < 60 ? 100 - i : 40))).isEqualTo(SteadyPart.NOT_YET);
    }

    @Test
    void aDriftNeverBecomesSteady() {
        assertThat(notYet(0, i -> 0.1 * i, 150)).isGreaterThan(RUNS * 99 / 100);
        assertThat(notYet(0, i -> 0.3 * i, 50, 100, 150)).isGreaterThan(RUNS * 95 / 100);
    }

    @Test
    void noiseIsRarelyTakenForATransient() {
        assertThat(notYet(0, _ -> 0, 50)).as("extended").isLessThan(RUNS * 25 / 100);
        assertThat(notYet(0, _ -> 0, 50, 100, 150)).as("never settled").isLessThan(RUNS * 2 / 100);
        assertThat(notYet(0.5, _ -> 0, 50, 100, 150)).as("never settled").isLessThan(RUNS * 2 / 100);
    }

    @Test
    void aShortSeriesTellsNothing() {
        assertThat(SteadyPart.begin(series(29, i -> i))).isEqualTo(SteadyPart.UNKNOWN);
    }
}
