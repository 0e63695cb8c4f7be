package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Coverage of intervals of 95 %: as often as the distribution of the statistic predicts, which is in 94 to 97 % of cases. */
class CoverageTest {

    private static final double TRUE_RATIO = 0.95;

    /** Returns the share of seeded cases in which the interval covers the true ratio. */
    private static double covered(int cases, ToDoubleFunction<SplittableRandom> excludes) {
        SplittableRandom random = new SplittableRandom(12);
        double count = 0;
        for (int i = 0; i < cases; i++) {
            count += 1 - excludes.applyAsDouble(random.split());
        }
        return count / cases;
    }

    private static double excludes(ConfidenceInterval interval) {
        return interval.excludes(Math.log(TRUE_RATIO)) ? 1 : 0;
    }

    private static double nominal(double[] probability) {
        int k = NullDistribution.lowest(probability, 0.025);
        return 1 - 2 * Arrays.stream(probability).limit(k).sum();
    }

    @ParameterizedTest
    @CsvSource({"6", "10", "20"})
    void intervalsOfPairsCoverTheTruthAlsoUnderDrift(int n) {
        ToDoubleFunction<SplittableRandom> one = random -> {
            double[] first = Noise.trials(random, n, 40_000, 0.03);
            double[] second = Noise.trials(random, n, 40_000 * TRUE_RATIO, 0.03);
            for (int i = 0; i < n; i++) {
                first[i] -= 0.1 * i / n;
                second[i] -= 0.1 * i / n;
            }
            return excludes(HodgesLehmann.paired(Noise.differences(first, second), 0.95));
        };
        assertThat(covered(1_000, one)).isBetween(0.94, 0.97);
        assertThat(covered(20_000, one)).isCloseTo(nominal(NullDistribution.signedRank(n)), within(0.005));
    }

    @ParameterizedTest
    @CsvSource({"6", "10", "20"})
    void intervalsOfIndependentSamplesCoverTheTruth(int n) {
        ToDoubleFunction<SplittableRandom> one = random -> excludes(HodgesLehmann.shift(
            Noise.trials(random, n, 40_000, 0.03), Noise.trials(random, n, 40_000 * TRUE_RATIO, 0.03), 0.95));
        assertThat(covered(1_000, one)).isBetween(0.94, 0.97);
        assertThat(covered(5_000, one)).isCloseTo(nominal(NullDistribution.mannWhitney(n, n)), within(0.008));
    }

    @ParameterizedTest
    @CsvSource({"6", "10", "20"})
    void oneWildTrialInTenDoesNotHarm(int n) {
        ToDoubleFunction<SplittableRandom> one = random -> {
            double[] first = Noise.trials(random, n, 40_000, 0.03);
            double[] second = Noise.trials(random, n, 40_000 * TRUE_RATIO, 0.03);
            for (int i = 0; i < n; i++) {
                first[i] -= random.nextInt(10) == 0 ? 0.3 : 0;
                second[i] -= random.nextInt(10) == 0 ? 0.3 : 0;
            }
            return excludes(HodgesLehmann.shift(first, second, 0.95));
        };
        assertThat(covered(1_000, one)).isBetween(0.935, 0.985);
    }

    /** The interval of a window should cover it in 95 % of cases; 60 cases distinguish this from less than 80 %. */
    @Test
    void intervalsCoverTheWindow() {
        int covered = 0;
        for (int seed = 0; seed < 60; seed++) {
            WindowFit fit = WindowFit.of(WindowFitTest.rates(0.06, 1000 + seed, (roundTrip, _) -> WindowFitTest.messages(60, roundTrip)));
            ConfidenceInterval found = fit.messages();
            covered += found != null && !found.excludes(60) ? 1 : 0;
        }
        assertThat(covered).isGreaterThanOrEqualTo(52);
    }

    /** Of intervals of the coefficients of scaling, from 90 to 100 % contain the truth; at a bound they are wider than they need be. */
    @ParameterizedTest
    @CsvSource({"0.05, 0.001, 0.03", "0.2, 0.005, 0.03", "0.1, 0, 0.03", "0, 0, 0.03", "0.05, 0.002, 0.01"})
    void intervalsCoverTheLawOfScaling(double contention, double coherency, double spread) {
        SplittableRandom random = new SplittableRandom(48);
        int[] covered = new int[3];
        int cases = 100;
        for (int i = 0; i < cases; i++) {
            ScalingFit fit = ScalingFit.of(ScalingFitTest.NUMBERS, Arrays.stream(ScalingFitTest.NUMBERS)
                .map(n -> ScalingFitTest.law(10_000, contention, coherency, n) * Math.exp(spread * random.nextGaussian())).toArray(),
                Arrays.stream(ScalingFitTest.NUMBERS).map(_ -> spread).toArray());
            covered[0] += fit.contention().excludes(contention) ? 0 : 1;
            covered[1] += fit.coherency().excludes(coherency) ? 0 : 1;
            covered[2] += fit.alone().excludes(10_000) ? 0 : 1;
        }
        assertThat(Arrays.stream(covered).min().orElseThrow()).as("of " + cases).isGreaterThanOrEqualTo(90);
    }
}
