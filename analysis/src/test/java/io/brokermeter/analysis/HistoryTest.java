package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import io.brokermeter.analysis.html.HistoryHtml;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.reports.stored.StoredSweep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

    @TempDir
    Path directory;

    private final SplittableRandom random = new SplittableRandom(3);

    private double noisy(double level) {
        return level * Math.exp(0.01 * random.nextGaussian());
    }

    @Test
    void theRunThatMadeItSlowerIsNamed() throws IOException {
        Trials trials = new Trials(directory);
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 18; i++) {
            runs.add(trials.run("before" + i, noisy(10_000)));
        }
        trials.versions("\"producer client\":\"x 1\",\"broker\":\"B 1.1\"");
        for (int i = 0; i < 7; i++) {
            runs.add(trials.run("after" + i, noisy(9_500)));
        }
        runs.add(trials.failed("broken"));
        trials.scenario(Trials.scenario("100B", "10k"));
        runs.add(trials.run("small", 90_000));
        History history = History.of(runs.getFirst(), runs.reversed(), 200, Comparison.Question.USUAL).getFirst();
        assertThat(history.points()).hasSize(25);
        assertThat(history.levels()).hasSize(2);
        assertThat(history.leftOut()).containsEntry("failed", 1).containsEntry("other size", 1);
        assertThat(HistoryText.sentences(history)).hasSize(1).first().asString()
            .startsWith("Worse since after0 (2026-03-01 10:18 UTC, B 1.1 after B 1.0): throughput 9,")
            .contains("% less than", "in the 18 runs before (p 0.001)");
        assertThat(HistoryText.text(history, 0)).contains("  before0   10,0", "5.7 % less:\n  after0", "Left out: 1 other size, 1 failed.");
        assertThat(HistoryHtml.text(List.of(history)))
            .contains("<h1>Worse since after0", "<li>Left out: 1 other size, 1 failed.</li>", "class=\"change\"", "<td>after6</td>")
            .doesNotContain("<script", "NaN");
        Gate slower = Gate.parse("throughput < 0.97");
        Gate gone = Gate.parse("throughput < 0.5");
        assertThat(slower.of(history)).isEqualTo(Gate.Outcome.FAILED);
        assertThat(slower.sentence(history)).startsWith("'throughput < 0.97' (since after0) holds: the ratio is 0.94");
        assertThat(gone.of(history)).isEqualTo(Gate.Outcome.PASSED);
        assertThat(HistoryText.json(List.of(history), List.of(slower, gone, Gate.parse("response.p99 > 1.1"))))
            .contains("\"since\":\"after0\"",
                "\"outcome\":\"failed\"", "\"outcome\":\"passed\"")
            .doesNotContain("response.p99 > 1.1");
        assertThat(HistoryText.markdown(List.of(history))).contains("**Worse since after0", "- Left out: 1 other size, 1 failed.",
            "| before0 | 2026-03-01 10:00 | 18 | ", " | 5.7 % less |\n", "<details>", "| after6 | ", " | B 1.1 |  |  |\n");
    }

    @Test
    void theVersionOfASweepIsThatOfTheTrialsThatCount() throws IOException {
        Trials trials = new Trials(directory);
        Path sweep = trials.sweep("sweep", Map.of("message.size=1000B", new double[] {10_000, 10_100, 10_200}));
        Path last = sweep.resolve("trials").resolve("003").resolve("result.json");
        Files.writeString(last,
            Files.readString(last).replace("\"success\":true", "\"success\":false").replaceFirst(",\"broker\":\"[^\"]*\"", ""));
        History history = History.of(sweep, List.of(sweep), 200, Comparison.Question.USUAL).getFirst();
        assertThat(history.points()).singleElement().satisfies(point -> {
            assertThat(point.broker()).isEqualTo("B 1.0");
            assertThat(point.trials()).isEqualTo(2);
        });
    }

    @Test
    void whatAConditionAsksForIsLookedAtBesides() throws IOException {
        Trials trials = new Trials(directory);
        Path run = trials.run("run", 10_000);
        Gate longer = Gate.parse("response.p99 > 1.1");
        List<History> histories = History.of(run, List.of(run), 200, new Comparison.Question(List.of(ComparedFigure.THROUGHPUT),
            List.of(longer.figure(), ComparedFigure.THROUGHPUT), 0.03, false, Set.of()));
        assertThat(histories).extracting(history -> history.figure().name()).containsExactly("throughput", "response.p99");
        assertThat(longer.of(histories.getLast())).isEqualTo(Gate.Outcome.UNKNOWN);
        assertThat(longer.sentence(histories.getLast())).contains(" cannot be decided: ");
    }

    @Test
    void aRunThatMissedItsRateDoesNotChooseTheFigure() throws IOException {
        Trials trials = new Trials(directory).asked(10_000);
        List<Path> runs = new ArrayList<>(trials.runs("run", 10_000, 10_000, 10_000));
        Path last = trials.run("last", 9_900);
        runs.add(last);
        assertThat(History.of(last, runs, 200, Comparison.Question.USUAL)).extracting(history -> history.figure().name())
            .containsExactly("response.p99");
        runs.addAll(trials.runs("overloaded", 9_000, 9_000, 9_000));
        assertThat(History.of(runs.getFirst(), runs, 200, Comparison.Question.USUAL)).extracting(history -> history.figure().name())
            .containsExactly("throughput");
    }

    @Test
    void whatDoesNotChangeHasOneLevel() throws IOException {
        Trials trials = new Trials(directory);
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            runs.add(trials.run("run" + i, noisy(10_000)));
        }
        History history = History.of(runs.getFirst(), runs, 200, Comparison.Question.USUAL).getFirst();
        assertThat(HistoryText.sentences(history)).containsExactly("No change of throughput by 3 % or more was found in 30 runs; "
            + "6 runs at least must show it.");
        assertThat(Gate.parse("throughput < 0.97").sentence(history))
            .isEqualTo("'throughput < 0.97' (no change found) does not hold: the ratio is 1.000.");
    }

    @Test
    void doubtfulRunsAreNamed() throws IOException {
        Trials trials = new Trials(directory);
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            runs.add(trials.run("before" + i, noisy(10_000)));
        }
        trials.doubtful();
        for (int i = 0; i < 8; i++) {
            runs.add(trials.run("after" + i, noisy(9_000)));
        }
        History history = History.of(runs.getFirst(), runs.reversed(), 200, Comparison.Question.USUAL).getFirst();
        assertThat(HistoryText.sentences(history)).singleElement().asString()
            .endsWith(" Doubtful, for reasons that their results name: 8 of the 8 runs since and 0 of the 20 before.");
        assertThat(Gate.parse("throughput < 0.97").sentence(history))
            .startsWith("'throughput < 0.97' (since after0, all runs since are doubtful) holds: ");
        assertThat(HistoryText.text(history, 0)).containsPattern("after7 .* doubtful\n").doesNotContainPattern("before0 .*doubtful");
        assertThat(HistoryText.json(List.of(history), List.of())).contains("\"doubtful\":0", "\"doubtful\":1");
        assertThat(HistoryText.markdown(List.of(history))).contains("| yes |");
        assertThat(HistoryHtml.text(List.of(history))).contains("<td>yes</td>", "Doubtful, for reasons");
    }

    /** Two runs that are twice as slow are too few to show a change, and no proof that there is none. */
    @Test
    void aChangeOfTheLastTwoRunsIsNotFoundYet() throws IOException {
        Trials trials = new Trials(directory).asked(10_000).p99(5_000);
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            runs.add(trials.p99(noisy(i < 23 ? 5_000 : 10_000)).run("run" + i, 10_000));
        }
        History history = History.of(runs.getFirst(), runs, 200, Comparison.Question.USUAL).getFirst();
        assertThat(HistoryText.sentences(history))
            .containsExactly("No change of response p99 by 3 % or more was found in 25 runs; 6 runs at least must show it.");
        assertThat(Gate.parse("response.p99 > 1.5").sentence(history)).contains("(no change found) does not hold");
    }

    /** No messages wait in a broker until there is a backlog. */
    @Test
    void aFigureThatIsZeroHasAHistory() throws IOException {
        Trials trials = new Trials(directory).more(Trials.depth(0));
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            runs.add(trials.run("before" + i, 10_000));
        }
        Comparison.Question waiting =
            new Comparison.Question(List.of(ComparedFigure.of("broker.depthMax")), List.of(), 0.03, false, Set.of());
        Gate gate = Gate.parse("broker.depthMax > 1.5");
        History healthy = History.of(runs.getFirst(), runs, 200, waiting).getFirst();
        assertThat(HistoryText.sentences(healthy)).containsExactly("No change of most waiting by 3 % or more was found in 20 runs; "
            + "6 runs at least must show it.");
        assertThat(gate.of(healthy)).isEqualTo(Gate.Outcome.PASSED);

        trials.more(Trials.depth(5000));
        for (int i = 0; i < 7; i++) {
            runs.add(trials.run("after" + i, 10_000));
        }
        History worse = History.of(runs.getFirst(), runs, 200, waiting).getFirst();
        assertThat(HistoryText.sentences(worse)).hasSize(1).first().asString()
            .contains("since after0 ", ": most waiting 5,000, more than 0 in the 20 runs before (p 0.001)");
        assertThat(HistoryText.text(worse, 0)).contains("  more than 0:\n  after0");
        assertThat(HistoryText.json(List.of(worse), List.of(gate))).contains("\"changeRatio\":null", "\"outcome\":\"failed\"",
            " holds: the ratio is infinite.");
        assertThat(HistoryHtml.text(List.of(worse))).contains(">more than 0</text>").doesNotContain("NaN", "Infinity");
    }

    @Test
    void whatElseWasMeasuredMeanwhileTakesNoPlace() throws IOException {
        Trials trials = new Trials(directory);
        List<Path> runs = new ArrayList<>();
        for (int i = 0; i < 22; i++) {
            runs.add(trials.run("run" + i, noisy(10_000)));
        }
        Path newest = runs.getLast();
        trials.scenario(Trials.scenario("100B", "10k"));
        for (int i = 0; i < 40; i++) {
            runs.add(trials.run("small" + i, 90_000));
        }
        assertThat(History.of(newest, runs.reversed(), 30, Comparison.Question.USUAL).getFirst().points()).hasSize(22);
        assertThat(History.of(newest, runs.reversed(), 20, Comparison.Question.USUAL).getFirst().points()).hasSize(20)
            .extracting(History.Point::name).contains("run21", "run2").doesNotContain("run1");
    }

    @Test
    void whatStillRunsIsLeftOutAsThat() throws IOException {
        Trials trials = new Trials(directory);
        Path run = trials.run("run", 10_000);
        Path going = trials.run("going", 1);
        Files.delete(going.resolve("result.json"));
        Path cut = trials.run("cut", 1);
        Files.delete(cut.resolve("result.json"));
        try (RunLock _ = RunLock.exclusive(going.resolve(RunDirectory.INTERVALS)).orElseThrow()) {
            assertThat(History.of(run, List.of(cut, going, run), 200, Comparison.Question.USUAL).getFirst())
                .satisfies(history -> assertThat(history.leftOut()).containsOnly(Map.entry("cut off", 1), Map.entry("still running", 1)));
        }
    }

    @Test
    void aSweepThatStillRunsIsNoPoint() throws IOException {
        Trials trials = new Trials(directory);
        Path ended = trials.sweep("ended", Trials.variants("x=1", new double[] {10_000, 10_010}, "x=2", new double[] {9_000, 9_010}));
        Path going = trials.sweep("going", Trials.variants("x=1", new double[] {8_000}, "x=2", new double[] {9_000}));
        try (RunLock _ = RunLock.exclusive(going.resolve(StoredSweep.LOCK)).orElseThrow()) {
            assertThat(History.of(ended, List.of(going, ended), 200, Comparison.Question.USUAL)).hasSize(2).allSatisfy(history -> {
                assertThat(history.points()).extracting(History.Point::name).containsExactly("ended");
                assertThat(history.leftOut()).containsOnly(Map.entry("still running", 1));
            });
        }
    }

    /** Guards against runs without a point that use up the number of runs to look at. */
    @Test
    void whatIsNoPointDoesNotCountAmongTheRuns() throws IOException {
        Trials trials = new Trials(directory);
        List<Path> ended = List.of(
            trials.sweep("first", Trials.variants("x=1", new double[] {10_000, 10_010}, "x=2", new double[] {9_000, 9_010})),
            trials.sweep("second", Trials.variants("x=1", new double[] {10_000, 10_010}, "x=2", new double[] {9_000, 9_010})));
        Path going = trials.sweep("going", Trials.variants("x=1", new double[] {8_000}, "x=2", new double[] {9_000}));
        List<Path> newestFirst = List.of(going, ended.getLast(), ended.getFirst());
        try (RunLock _ = RunLock.exclusive(going.resolve(StoredSweep.LOCK)).orElseThrow()) {
            assertThat(History.of(ended.getLast(), newestFirst, 2, Comparison.Question.USUAL)).hasSize(2)
                .allSatisfy(history -> assertThat(history.points()).hasSize(2));
        }
        Path run = trials.run("run", 10_000);
        List<Path> withFailed = List.of(trials.failed("broken"), run, trials.run("older", 10_000));
        assertThat(History.of(run, withFailed, 2, Comparison.Question.USUAL).getFirst().points()).hasSize(2);
    }

    @Test
    void aShortHistoryCannotTell() throws IOException {
        Trials trials = new Trials(directory);
        Path run = trials.run("run", 10_000);
        assertThat(HistoryText.sentences(History.of(run, List.of(), 200, Comparison.Question.USUAL).getFirst()))
            .containsExactly("Cannot tell whether throughput has changed: there is 1 run of this, and 20 are needed.");
    }
}
