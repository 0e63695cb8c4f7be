package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers by Python's {@code math.erfc}: {@code src/test/scipy/known_answers.py}. */
class LimitPosteriorTest {

    private static final Percentage TINY = Percentage.withPercentage(1e-3);

    private final LimitPosterior posterior = new LimitPosterior(100, 10_000);

    private void answers(double low, double median, double high, double spread, double below1003) {
        ConfidenceInterval limit = posterior.limit(0.98);
        assertThat(limit.low()).isCloseTo(low, TINY);
        assertThat(limit.estimate()).isCloseTo(median, TINY);
        assertThat(limit.high()).isCloseTo(high, TINY);
        assertThat(limit.confidence()).isEqualTo(0.98);
        assertThat(posterior.spread()).isCloseTo(spread, TINY);
        assertThat(posterior.below(1_003)).isCloseTo(below1003, TINY);
    }

    /** Everything is equally likely: the median is the geometric mean of the ends, and the spread the mean of those that may be. */
    @Test
    void beforeTheFirstTrialTheLimitMayBeAnywhere() {
        answers(104.461668, 1_002.417825, 9_619.236609, 0.136142857, 0.500541712);
    }

    /** A trial that held leaves 5 %, the share of accidents, for a limit below its load. */
    @Test
    void oneTrialThatHeldRaisesTheLimit() {
        posterior.add(1_000, true, 1);
        answers(158.315097, 2_986.32815, 9_831.60850, 0.136142857, 0.072190783);
    }

    @Test
    void trialsOnBothSidesEncloseTheLimit() {
        posterior.add(900, true, 2);
        posterior.add(1_000, true, 1);
        posterior.add(1_000, false, 1);
        posterior.add(1_100, false, 1);
        posterior.add(1_200, false, 2);
        answers(408.403988, 997.380925, 1_387.08599, 0.129979924, 0.562337697);
    }

    /** All held at one load and none at a slightly higher one: small spreads gain on great ones. */
    @Test
    void aSharpEdgeIsASmallSpread() {
        posterior.add(800, true, 4);
        posterior.add(820, false, 4);
        answers(514.206594, 809.917211, 1_299.86162, 0.123685193, 0.958479374);
    }

    @Test
    void trialsFarApartLeaveTheSpreadOpen() {
        posterior.add(300, true, 3);
        posterior.add(3_000, false, 3);
        answers(310.680921, 948.691526, 2_896.96332, 0.116714907, 0.527431776);
    }

    @Test
    void severalTrialsAtOnceAreThoseTrialsOneByOne() {
        LimitPosterior one = new LimitPosterior(100, 10_000);
        for (int i = 0; i < 3; i++) {
            one.add(700, true, 1);
            one.add(900, false, 1);
        }
        posterior.add(900, false, 3);
        posterior.add(700, true, 3);
        answers(one.limit(0.98).low(), one.limit(0.98).estimate(), one.limit(0.98).high(), one.spread(), one.below(1_003));
    }

    /** The likelihood of many trials is too small for a number, and their ratios are not. */
    @Test
    void manyTrialsDoNotExhaustTheNumbers() {
        posterior.add(900, true, 100_000);
        posterior.add(1_000, false, 100_000);
        assertThat(posterior.limit(0.98).low()).isBetween(900.0, 1_000.0);
        assertThat(posterior.limit(0.98).high()).isBetween(900.0, 1_000.0);
        assertThat(posterior.below(1_000)).isCloseTo(1, within(1e-9));
    }

    @Test
    void theProbabilityGrowsFromZeroToOne() {
        posterior.add(1_000, true, 1);
        assertThat(posterior.below(99)).isZero();
        assertThat(posterior.below(100)).isPositive();
        assertThat(posterior.below(20_000)).isCloseTo(1, within(1e-12)).isLessThanOrEqualTo(1);
        double before = 0;
        for (double load = 100; load < 10_000; load *= 1.1) {
            assertThat(posterior.below(load)).isGreaterThan(before);
            before = posterior.below(load);
        }
    }

    /** The median has half of the probability below it, and each end of an interval its tail, to the half of a step of 0.5 %. */
    @ParameterizedTest
    @CsvSource({"0.5", "0.9", "0.98"})
    void anIntervalLeavesEqualTails(double confidence) {
        posterior.add(900, true, 3);
        posterior.add(1_100, false, 3);
        ConfidenceInterval limit = posterior.limit(confidence);
        double step = 0.05;
        assertThat(posterior.below(limit.low())).isCloseTo((1 - confidence) / 2, within(step));
        assertThat(posterior.below(limit.estimate())).isCloseTo(0.5, within(step));
        assertThat(posterior.below(limit.high())).isCloseTo((1 + confidence) / 2, within(step));
    }

    /** Tables of the normal distribution. */
    @ParameterizedTest
    @CsvSource({"0, 0.5", "1, 0.8413447461", "-1, 0.1586552539", "1.9599639845, 0.975", "-1.9599639845, 0.025", "3, 0.9986501020",
        "-3, 0.0013498980", "0.5, 0.6914624613", "-7, 1.28e-12"})
    void theNormalDistribution(double x, double probability) {
        assertThat(LimitPosterior.normal(x)).isCloseTo(probability, within(1.2e-7));
    }
}
