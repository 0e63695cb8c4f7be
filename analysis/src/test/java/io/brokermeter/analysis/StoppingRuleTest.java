package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.Noise;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outcomes of the stopping rule of {@code ab} in seeded simulations. */
class StoppingRuleTest {

    private static final double LEAST = 0.03;

    /** Returns the interval with which a simulated measurement of pairs ends. */
    private static ConfidenceInterval measured(SplittableRandom random, double ratio, double spread) {
        return measured(StoppingRule.USUAL, StoppingRule.OF_EACH_LOOK, random, ratio, spread);
    }

    private static ConfidenceInterval measured(StoppingRule rule, double ofEachLook, SplittableRandom random, double ratio, double spread) {
        return measured(rule, ofEachLook, Noise.differences(Noise.trials(random, rule.most(), 10_000, spread),
            Noise.trials(random, rule.most(), 10_000 * ratio, spread)));
    }

    private static ConfidenceInterval measured(StoppingRule rule, double ofEachLook, double[] differences) {
        ConfidenceInterval last = null;
        for (int pairs : rule.pairs()) {
            last = HodgesLehmann.paired(Arrays.copyOf(differences, pairs), ofEachLook).exp();
            if (rule.isNarrow(last)) {
                break;
            }
        }
        return last;
    }

    private static ConfidenceInterval served(double[] first, double[] second) {
        return measured(StoppingRule.USUAL, StoppingRule.OF_EACH_LOOK, Noise.differences(first, second));
    }

    private static double covered(StoppingRule rule, double ofEachLook, double spread) {
        SplittableRandom random = new SplittableRandom(8);
        return IntStream.range(0, 3_000)
            .filter(_ -> !measured(rule, ofEachLook, random.split(), 0.95, spread).excludes(0.95)).count() / 3_000.0;
    }

    private static List<ConfidenceInterval> cases(int count, double ratio, double spread) {
        SplittableRandom random = new SplittableRandom(8);
        return IntStream.range(0, count).mapToObj(_ -> measured(random.split(), ratio, spread)).toList();
    }

    @ParameterizedTest
    @CsvSource({"0.01", "0.02"})
    void theSameThingIsCalledTheSameInNinetySevenOfAHundred(double spread) {
        List<RatioVerdict> verdicts = cases(1_000, 1, spread).stream().map(ratio -> RatioVerdict.of(ratio, LEAST)).toList();
        assertThat(verdicts.stream().filter(RatioVerdict.SAME::equals).count()).isGreaterThanOrEqualTo(970);
        assertThat(verdicts.stream().filter(RatioVerdict::isDifference).count()).isLessThanOrEqualTo(5);
    }

    /** A server with exponential service times, and 4,000 messages a trial, which gives 1.6 % of noise. */
    @Test
    void aServerSlowedByFivePercentIsFoundAndTheSameServerIsNot() {
        SplittableRandom random = new SplittableRandom(19);
        int found = 0;
        int same = 0;
        for (int i = 0; i < 100; i++) {
            double[] first = Noise.served(random, 30, 10_000, 4_000);
            found += RatioVerdict.of(served(first, Noise.served(random, 30, 9_500, 4_000)), LEAST) == RatioVerdict.LESS ? 1 : 0;
            same += RatioVerdict.of(served(first, Noise.served(random, 30, 10_000, 4_000)), LEAST) == RatioVerdict.SAME ? 1 : 0;
        }
        assertThat(found).isGreaterThanOrEqualTo(90);
        assertThat(same).isGreaterThanOrEqualTo(97);
    }

    @Test
    void noisyTrialsOfTheSameThingAreNotCalledDifferent() {
        assertThat(cases(1_000, 1, 0.04).stream().filter(ratio -> RatioVerdict.of(ratio, LEAST).isDifference()).count())
            .isLessThanOrEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource({"0.01", "0.02", "0.03"})
    void fivePercentLessIsFoundInNinetyOfAHundred(double spread) {
        assertThat(cases(1_000, 0.95, spread).stream().filter(ratio -> RatioVerdict.of(ratio, LEAST) == RatioVerdict.LESS).count())
            .isGreaterThanOrEqualTo(900);
    }

    /** Noise of 1 to 2.5 %, with which a look may find the interval narrow by chance, covers the truth least often. */
    @ParameterizedTest
    @CsvSource({"0.012", "0.016", "0.02", "0.024"})
    void lookingSeveralTimesKeepsTheCoverageThatIsSaid(double spread) {
        assertThat(covered(StoppingRule.USUAL, StoppingRule.OF_EACH_LOOK, spread)).isGreaterThan(FigureComparison.CONFIDENCE);
    }

    @Test
    void aLookAfterEachPairIsHardlyWorse() {
        StoppingRule each = new StoppingRule(IntStream.rangeClosed(8, 30).boxed().toList(), 0.03);
        assertThat(covered(each, StoppingRule.OF_EACH_LOOK, 0.022)).isGreaterThan(FigureComparison.CONFIDENCE - 0.005);
    }

    /** The reason why the confidence of each look is higher than what is said. */
    @Test
    void intervalsOfNinetySixPercentWouldCoverLessThanNinetyFive() {
        assertThat(DoubleStream.of(0.018, 0.02, 0.022, 0.024).map(spread -> covered(StoppingRule.USUAL, 0.96, spread)).min().orElse(1))
            .isLessThan(FigureComparison.CONFIDENCE);
    }

    /** The reason why only the width of the interval ends a measurement. */
    @Test
    void stoppingAtSignificanceWouldCoverTheTruthTooSeldom() {
        SplittableRandom random = new SplittableRandom(8);
        int covered = 0;
        for (int i = 0; i < 1_000; i++) {
            double[] differences = Noise.trials(random, 30, 1, 0.04);
            ConfidenceInterval interval = HodgesLehmann.paired(Arrays.copyOf(differences, 6), 0.95);
            for (int pairs = 7; pairs <= 30 && !interval.excludes(0); pairs++) {
                interval = HodgesLehmann.paired(Arrays.copyOf(differences, pairs), 0.95);
            }
            covered += interval.excludes(0) ? 0 : 1;
        }
        assertThat(covered).isLessThan(870);
    }

    @Test
    void thereIsNoLookBeforeSixPairs() {
        assertThatThrownBy(() -> new StoppingRule(List.of(5, 8), 0.03)).isInstanceOf(IllegalArgumentException.class);
        for (String wrong : List.of("5", "8,8", "12,8", "8,101", "")) {
            assertThatThrownBy(() -> StoppingRule.of(wrong, 0.03)).as(wrong).isInstanceOf(UsageException.class);
        }
        assertThat(StoppingRule.of("8,12,18,30", 0.03)).isEqualTo(StoppingRule.USUAL);
    }
}
