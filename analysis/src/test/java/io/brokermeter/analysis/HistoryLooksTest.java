package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import io.brokermeter.analysis.statistics.ChangePoints;
import io.brokermeter.analysis.statistics.Noise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code watch} finds when it looks after each run, in seeded histories with noise of 2 %. With
 * {@code -Dbrokermeter.histories=1000} in as many, which takes minutes.
 */
class HistoryLooksTest {

    private static final int HISTORIES = Integer.getInteger("brokermeter.histories", 60);
    private static final double LEAST = 0.03;

    private static History look(double[] logarithms, int runs) {
        List<History.Point> points = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            points
                .add(new History.Point("run" + i, Instant.EPOCH.plusSeconds(86_400L * i), 10_000 * Math.exp(logarithms[i]), "", Map.of(), 1,
                    0));
        }
        return History.of("", ComparedFigure.THROUGHPUT, points, Map.of(), LEAST);
    }

    /** Counts the histories in which one of the looks shows a change that counts. */
    private static long changed(double correlation, int before, int looks, double step) {
        SplittableRandom random = new SplittableRandom(46);
        long changed = 0;
        for (int i = 0; i < HISTORIES; i++) {
            double[] values = Noise.correlated(random.split(), before + looks, correlation, 0.02);
            for (int at = before; at < values.length; at++) {
                values[at] += Math.log(step);
            }
            for (int runs = Math.max(ChangePoints.FEWEST, before + 1); runs <= values.length; runs++) {
                History history = look(values, runs);
                if (history.levels().size() > 1) {
                    changed++;
                    break;
                }
            }
        }
        return changed;
    }

    @ParameterizedTest
    @CsvSource({"0", "0.3"})
    void fewerThanFiveOfAHundredHistoriesWithoutAChangeAreGivenOneInAHundredLooks(double correlation) {
        assertThat(changed(correlation, ChangePoints.FEWEST - 1, 100, 1) / (double) HISTORIES).isLessThan(0.05);
    }

    @ParameterizedTest
    @CsvSource({"30", "60"})
    void aStepOfFivePercentIsFoundWithinTenRunsInNinetyFiveOfAHundred(int before) {
        assertThat(changed(0, before, 10, 0.95) / (double) HISTORIES).isGreaterThanOrEqualTo(0.95);
    }

    /** The earlier look is a function of the same points, so that none is kept anywhere. */
    @Test
    void aChangeStandsInTwoLooksBeforeItFails() {
        double[] values = Noise.trials(new SplittableRandom(2), 60, 1, 0.002);
        for (int i = 40; i < values.length; i++) {
            values[i] -= 0.1;
        }
        Gate gate = Gate.parse("throughput < 0.97");
        int runs = 41;
        while (look(values, runs).emerging() == null) {
            History early = look(values, runs++);
            assertThat(gate.of(early)).isEqualTo(Gate.Outcome.PASSED);
            assertThat(HistoryText.sentences(early)).singleElement().asString()
                .startsWith("No change of throughput by 3 % or more was found");
        }
        assertThat(runs).isLessThan(47);
        History first = look(values, runs);
        History second = look(values, runs + 1);
        assertThat(first.levels()).hasSize(1);
        assertThat(HistoryText.sentences(first)).singleElement().asString()
            .startsWith("No change yet: the newest run is the first to show that throughput is 9.").contains(" % less since run")
            .endsWith("; the next one decides.");
        assertThat(gate.of(first)).isEqualTo(Gate.Outcome.UNCERTAIN);
        assertThat(gate.sentence(first)).contains("may hold by chance alone: the ratio is 0.90")
            .endsWith(", and the newest run is the first to show it; the next one decides.");
        assertThat(HistoryText.json(List.of(first), List.of(gate))).contains("\"emerging\":{\"since\":\"run", "\"outcome\":\"uncertain\"");
        assertThat(second.levels()).hasSize(2);
        assertThat(second.emerging()).isNull();
        assertThat(gate.of(second)).isEqualTo(Gate.Outcome.FAILED);
    }
}
