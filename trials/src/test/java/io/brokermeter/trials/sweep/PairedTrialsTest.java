package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.StoppingRule;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.Speaking;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pairs of {@code ab}, with result files in place of measurements. */
class PairedTrialsTest {

    private static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");
    private static final PrintStream NOWHERE = new PrintStream(PrintStream.nullOutputStream());

    @TempDir
    Path directory;

    private Experiment experiment;
    private SweepPlan plan;
    private SweepFiles files;
    private int minute;

    @BeforeEach
    void begin() throws IOException {
        Path scenario = Files.writeString(directory.resolve("s.yaml"),
            "{name: s, url: 'tcp://h:1', destinations: queue://Q, producers: 1, consumers: 1, load: {messages: 1}}");
        experiment = ScenarioFile.variants(scenario, Changes.NONE, List.of("message.size=1KiB"), List.of("message.size=2KiB"), 6);
    }

    private static PairedOrder order(String looks) {
        return order(looks, null);
    }

    private static PairedOrder order(String looks, @Nullable Duration time, Gate... gates) {
        Comparison.Question usual = Comparison.Question.USUAL;
        return new PairedOrder(StoppingRule.of(looks, 0.03),
            new Comparison.Question(List.of(), List.of(), usual.least(), true, Set.of()), List.of(gates), time);
    }

    private PairedTrials begun(PairedOrder order) throws IOException {
        PairedTrials begun = new PairedTrials(experiment, order);
        plan = SweepPlan.of(List.of(experiment), Speaking.ONLY, null);
        files = SweepFiles.create(directory.resolve("sweep"), List.of(), plan, null, begun.kept());
        return begun;
    }

    /** Writes the result of a step, which starts a minute after the one before. */
    private void measure(SweepPlan.Step step, double throughput, boolean cut) throws IOException {
        measure(step, throughput, cut, "null", "sound");
    }

    private void measure(SweepPlan.Step step, double throughput, boolean cut, String asked) throws IOException {
        measure(step, throughput, cut, asked, "sound");
    }

    private void measure(SweepPlan.Step step, double throughput, boolean cut, String asked, String verdict) throws IOException {
        Path trial = files.begin(step);
        Instant start = BEGIN.plusSeconds(60L * minute++);
        Files.writeString(trial.resolve("result.json"), String.format(Locale.ROOT, """
            {"format":1,"name":"s","verdict":"%s","start":"%s","success":%s,"signal":%d,"sends":true,"receives":true,
            "rates":{"measuredSentPerSecond":%f,"measuredReceivedPerSecond":%f},"groups":[],
            "times":{"response":{"p99Micros":%f}},"health":{"reasons":[],"askedPerSecond":%s,"achievedRatio":%f}}
            """, verdict, start, !cut, cut ? 2 : 0, throughput, throughput, 1e7 / throughput * (1 + minute % 3), asked,
            throughput / 10_000));
        files.end(step, cut ? SweepFiles.State.INTERRUPTED : SweepFiles.State.PASSED, List.of());
    }

    private static double throughput(SweepPlan.Step step) {
        return 10_000 + 10 * step.trial().round() - (step.trial().index() == 0 ? 0 : 1_000);
    }

    private PairedTrials rest() {
        files = SweepFiles.open(files.directory());
        PairedTrials rest = PairedTrials.rest(files, null);
        files.resume(plan);
        files.again(rest.again(plan, step -> files.entry(step).state().isDone()));
        return rest;
    }

    /**
     * The result of a half that a signal interrupted stays in the files until the pair is measured again, and is not a half of the new
     * pair.
     */
    private static SweepDocument.AskedPairs kept(PairedTrials trials) {
        return Objects.requireNonNull(trials.kept().paired());
    }

    @Test
    void aPairThatWasCutOffIsOneWhenBothHalvesAreMeasuredAgain() throws Exception {
        begun(order("6"));
        List<SweepPlan.Step> steps = plan.steps();
        for (SweepPlan.Step step : steps) {
            measure(step, throughput(step), step == steps.getLast());
        }

        PairedTrials rest = rest();
        List<SweepPlan.Step> due = steps.stream().filter(step -> !files.entry(step).state().isDone()).toList();
        assertThat(due).containsExactlyElementsOf(steps.subList(10, 12));
        measure(due.getFirst(), throughput(due.getFirst()), false);

        assertThat(rest.isEnough(files.directory(), NOWHERE)).as("half of a pair").isFalse();
        assertThat(kept(rest).ended()).isEmpty();
        measure(due.getLast(), throughput(due.getLast()), false);
        assertThat(rest.isEnough(files.directory(), NOWHERE)).isTrue();
        assertThat(rest.comparison()).hasValueSatisfying(whole -> assertThat(whole.decisive().count()).isEqualTo(6));
    }

    /** Trials of which the generator was the limit say nothing of either side. */
    @Test
    void pairsThatMeasuredTheGeneratorEndItWithoutAnAnswer() throws Exception {
        PairedTrials begun = begun(order("6", null, Gate.parse("throughput < 0.97")));
        for (SweepPlan.Step step : plan.steps().subList(0, 6)) {
            measure(step, throughput(step), false, "null", "invalid");
        }
        assertThat(begun.isEnough(files.directory(), NOWHERE)).isTrue();
        assertThat(kept(begun).ended())
            .endsWith(") has 3 trials in a row that do not count (3 invalid), so it is not measured any further.");
        assertThat(begun.conclusion(files.directory())).contains("Cannot tell whether B differs from A: no trial of A counts (3 invalid)");
        assertThat(begun.status(NOWHERE)).isEqualTo(3);
    }

    @Test
    void oneThatHadNoMoreTimeWasNotCutOffAndGoesOn() throws Exception {
        PairedTrials begun = begun(order("6", Duration.ofNanos(1)));
        for (SweepPlan.Step step : plan.steps().subList(0, 2)) {
            measure(step, throughput(step), false);
        }
        assertThat(begun.isEnough(files.directory(), NOWHERE)).isTrue();
        files.keep(begun.kept());

        StoredSweep stored = StoredSweep.read(files.directory());
        assertThat(stored.notes()).containsExactly("The time was up after 1 pair. 10 of 12 trials have no result.");
        assertThat(stored.missing()).isZero();
        assertThat(kept(rest()).paused()).as("as soon as it goes on").isEmpty();
    }

    /** Further pairs do not change the figure that decides, not even after the comparison is resumed. */
    @Test
    void theFigureOfTheFirstLookDecidesUpToTheEnd() throws Exception {
        PairedTrials begun = begun(order("6,7"));
        for (SweepPlan.Step step : plan.steps()) {
            measure(step, 9_900 - 100 * (step.number() * 5 % 7), false, "10000");
        }
        assertThat(begun.isEnough(files.directory(), NOWHERE)).isFalse();
        assertThat(begun.comparison()).hasValueSatisfying(first -> assertThat(first.headline()).isEqualTo(ComparedFigure.THROUGHPUT));
        assertThat(kept(begun).figures()).startsWith("throughput", "sent.rate");

        files.keep(begun.kept());
        PairedTrials rest = rest();
        for (SweepPlan.Step step : plan.steps()) {
            measure(step, 10_000, false, "10000");
        }
        assertThat(rest.isEnough(files.directory(), NOWHERE)).isTrue();
        assertThat(rest.comparison()).hasValueSatisfying(whole -> assertThat(whole.headline()).isEqualTo(ComparedFigure.THROUGHPUT));
    }

    /**
     * Writes results of pairs, with a throughput of 0 in the first trial of A, and returns whether they are enough. Further pairs do not
     * make a ratio possible.
     */
    private boolean isEnoughWithoutRatio(PairedTrials begun, int from, int to) throws IOException {
        for (SweepPlan.Step step : plan.steps().subList(2 * from, 2 * to)) {
            boolean nothing = step.trial().round() == plan.steps().getFirst().trial().round() && step.trial().index() == 0;
            // the file has a throughput of 0 and a finite time
            measure(step, nothing ? 1e-9 : throughput(step), false);
        }
        return begun.isEnough(files.directory(), NOWHERE);
    }

    @Test
    void aLookEndsAComparisonThatCanHaveNoRatioAnyMore() throws Exception {
        PairedTrials begun = begun(order("6,7"));
        assertThat(isEnoughWithoutRatio(begun, 0, 5)).as("before the first look").isFalse();
        assertThat(isEnoughWithoutRatio(begun, 5, 6)).isTrue();
        assertThat(kept(begun).ended()).isEqualTo("After 6 pairs: throughput is 0 in 1 of 6 trials of A, which has no ratio.");
    }

    @Test
    void pairsWithoutRatioGoOnForAnotherFigureThatMayFail() throws Exception {
        PairedTrials begun = begun(order("6,7", null, Gate.parse("response.p99 > 1.1")));
        assertThat(isEnoughWithoutRatio(begun, 0, 6)).isFalse();
        assertThat(kept(begun).ended()).isEmpty();
    }
}
