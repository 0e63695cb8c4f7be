package io.brokermeter.analysis.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.DoubleFunction;

import io.brokermeter.analysis.limit.LimitSearch.End;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searches for known limits, by simulated trials. */
class LimitSearchTest {

    private static final Rules RULES = new Rules(10, 2e7, 1_000, 0.1, 0.98, 60, false);

    private static LimitSearch search(Rules rules, DoubleFunction<Outcome> trial) {
        LimitSearch search = new LimitSearch(rules);
        while (search.end() == null) {
            double load = search.next();
            search.add(load, trial.apply(load));
        }
        return search;
    }

    /**
     * The limit differs from one trial to the next, some trials are accidents that lose a fifth, and one in fifty is not valid. The bar is 195
     * of 200 at 3 %, and 190 where it differs by more than trials tell.
     */
    @ParameterizedTest
    @CsvSource({"0.01, 0, 197, 30", "0.03, 0.04, 195, 45", "0.25, 0, 190, 60.1", "0.4, 0, 190, 60.1"})
    void coversTheLimitOfANoisyBroker(double spread, double accidents, int least, double trialsInTheMean) {
        SplittableRandom random = new SplittableRandom(48);
        int covered = 0;
        int trials = 0;
        for (int i = 0; i < 200; i++) {
            double limit = Math.exp(Math.log(2_000) + random.nextDouble() * Math.log(500));
            LimitSearch search = search(RULES, load -> {
                double able = limit * Math.exp(spread * random.nextGaussian()) * (random.nextDouble() < accidents ? 0.8 : 1);
                return random.nextDouble() < 0.02 ? Outcome.NOT_VALID : load < able ? Outcome.HELD : Outcome.FAILED;
            });
            covered += search.limit().excludes(limit) ? 0 : 1;
            trials += search.outcomes().size();
        }
        assertThat(covered).as("limits in their intervals, of 200").isGreaterThanOrEqualTo(least);
        assertThat(trials / 200.0).as("trials").isLessThan(trialsInTheMean);
    }

    @Test
    void findsALimitWithoutNoise() {
        LimitSearch search = search(RULES, load -> load <= 41_200 ? Outcome.HELD : Outcome.FAILED);
        assertThat(search.end()).isEqualTo(End.CLEAR);
        assertThat(search.limit().excludes(41_200)).isFalse();
        assertThat(search.limit().high() / search.limit().low()).isLessThanOrEqualTo(1.1);
        assertThat(search.spread()).isLessThan(0.025);
        assertThat(search.outcomes()).hasSizeLessThan(25);
    }

    @Test
    void endsAtTheRange() {
        Rules narrow = new Rules(100, 5_000, 1_000, 0.1, 0.98, 60, false);
        assertThat(search(narrow, _ -> Outcome.HELD).end()).isEqualTo(End.ABOVE_RANGE);
        assertThat(search(narrow, _ -> Outcome.FAILED).end()).isEqualTo(End.BELOW_RANGE);
    }

    /** The cold first trial is the likeliest accident: it does not make a limit that lies where nothing was tried. */
    @ParameterizedTest
    @CsvSource({"10, 10000, 1000, FAILED, HELD, ABOVE_RANGE", "1000, 1000000, 1000, HELD, FAILED, BELOW_RANGE",
        "1000, 1000000, 8000, HELD, FAILED, BELOW_RANGE"})
    void endsAtTheRangeAlsoAfterAnAccident(double least, double most, double start, Outcome first, Outcome others, End end) {
        int[] trials = new int[1];
        LimitSearch search = search(new Rules(least, most, start, 0.1, 0.98, 60, false), _ -> trials[0]++ == 0 ? first : others);
        assertThat(search.end()).isEqualTo(end);
        assertThat(search.hasLimit()).isFalse();
        assertThat(search.outcomes()).hasSizeLessThan(25);
    }

    @Test
    void endsAfterTwoTrialsInARowThatWereNotValid() {
        LimitSearch search = search(RULES, load -> load <= 8_000 ? Outcome.HELD : Outcome.NOT_VALID);
        assertThat(search.end()).isEqualTo(End.NOT_VALID);
        assertThat(search.outcomes()).hasSize(6);
    }

    @Test
    void movesNothingByATrialThatWasNotValid() {
        LimitSearch search = new LimitSearch(RULES);
        search.add(1_000, Outcome.HELD);
        double next = search.next();
        search.add(next, Outcome.NOT_VALID);
        assertThat(search.next()).isEqualTo(next);
    }

    @Test
    void countsAFailedConfirmationAsSeveralTrials() {
        LimitSearch search = search(RULES, load -> load <= 41_200 ? Outcome.HELD : Outcome.FAILED);
        double low = search.limit().low();
        search.confirm(low, true, 5);
        assertThat(search.limit().low()).isEqualTo(low);
        search.confirm(low, false, 5);
        assertThat(search.limit().low()).isLessThan(low * 0.99);
    }

    @Test
    void findsAWholeNumber() {
        LimitSearch search = search(new Rules(1, 64, 1, 0.1, 0.98, 60, true), load -> load <= 5 ? Outcome.HELD : Outcome.FAILED);
        assertThat(search.end()).isEqualTo(End.CLEAR);
        assertThat(Math.floor(search.limit().estimate())).isEqualTo(5);
    }
}
