package io.brokermeter.analysis;

import static io.brokermeter.analysis.Trials.depth;
import static io.brokermeter.analysis.Trials.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.analysis.html.ComparisonHtml;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons of directories that have the files of runs. */
class ComparisonTest {

    private static final double[] QUICK = {10_000, 10_100, 9_950, 10_050, 10_020, 9_980};
    private static final double[] SLOW = {9_500, 9_590, 9_460, 9_550, 9_510, 9_490};

    /** Judges sides that are measured one after the other, as most are here. */
    private static final Comparison.Question AS_THEY_ARE = question(List.of(), List.of(), 0.03);

    @TempDir
    Path directory;
    private Trials trials;

    private static Comparison.Question question(List<ComparedFigure> figures, List<ComparedFigure> besides, double least) {
        return new Comparison.Question(figures, besides, least, false, Set.of("order"));
    }

    @BeforeEach
    void begin() {
        trials = new Trials(directory);
    }

    private static List<Comparison> compared(Comparison.Question question, String... words) {
        return SideReader.compared(List.of(words), name -> List.of(Path.of(name)), question);
    }

    private static Comparison compared(String... words) {
        return compared(AS_THEY_ARE, words).getFirst();
    }

    @Test
    void sixRunsOfEachTellADifference() throws IOException {
        Comparison comparison = compared(together(trials.runs("a", QUICK)), together(trials.runs("b", SLOW)));
        FigureComparison decisive = comparison.decisive();
        assertThat(decisive.verdict()).isEqualTo(RatioVerdict.LESS);
        assertThat(decisive.paired()).isFalse();
        assertThat(decisive.ratio().estimate()).isCloseTo(0.95, within(0.001));
        assertThat(ComparisonWords.answer(comparison)).startsWith("B is slower: throughput is 5 % less (ratio 0.950, 95 % interval 0.9")
            .endsWith("6 each).");
        assertThat(comparison.figures()).extracting(figure -> figure.figure().name()).contains("throughput", "response.p50",
            "response.p99");
    }

    @Test
    void aDifferenceOfDoubtfulTrialsAloneIsSaidToBeOne() throws IOException {
        Path first = trials.sweep("one", Trials.variants("x=1", QUICK, "x=2", SLOW));
        assertThat(ComparisonWords.answer(compared(first.toString()))).endsWith("6 pairs).");
        Path doubtful = trials.doubtful().sweep("doubtful", Trials.variants("x=1", QUICK, "x=2", SLOW));
        assertThat(ComparisonWords.answer(compared(doubtful.toString()))).startsWith("B is slower")
            .endsWith("6 pairs, all of them doubtful).");
    }

    @Test
    void trialsThatMeasuredTheGeneratorDoNotCount() throws IOException {
        List<Path> valid = trials.runs("a", QUICK);
        Comparison none = compared(together(valid), together(trials.more("\"verdict\":\"invalid\",").runs("b", SLOW)));
        assertThat(ComparisonWords.answer(none)).isEqualTo("Cannot tell whether B differs from A: no trial of B counts (6 invalid).");
        assertThat(Gate.parse("throughput < 0.97").of(none)).isEqualTo(Gate.Outcome.UNKNOWN);
        assertThat(none.lacksValidTrials()).isTrue();
        Path failed = trials.failed("failed");
        assertThat(MeasuredTrial.in(failed).unfit()).as("that failed, too").isEqualTo("invalid");
        assertThat(History.of(valid.getFirst(), List.of(valid.getFirst(), failed), 200, Comparison.Question.USUAL).getFirst().leftOut())
            .containsOnly(Map.entry("invalid", 1));
        List<Path> most = new ArrayList<>(trials.more("").runs("c", SLOW));
        most.add(trials.more("\"verdict\":\"invalid\",").run("late", 1));
        Comparison enough = compared(together(valid), together(most));
        assertThat(enough.lacksValidTrials()).isFalse();
        assertThat(ComparisonWords.answer(enough)).startsWith("B is slower");
        assertThat(ComparisonWords.notes(enough)).contains("Of B, 1 invalid, which do not count.");
    }

    /** Pairs that the width of the interval ended have a wider one, so that it covers what it says. */
    @Test
    void pairsOfAbAreComparedAsAbDoes() throws IOException {
        double[] first = {10_000, 10_300, 9_950, 10_050, 10_120, 9_980, 10_010, 9_900, 10_200, 10_030, 9_870, 10_110};
        double[] second = {9_900, 10_000, 10_050, 10_150, 9_920, 10_080, 9_710, 10_100, 9_900, 10_230, 9_970, 9_810};
        Path sweep = trials.sweep("sweep", Trials.variants("x=1", first, "x=2", second));
        FigureComparison planned = compared(sweep.toString()).decisive();
        Path file = sweep.resolve("sweep.json");
        Files.writeString(file, Files.readString(file).replaceFirst("\\{", "{\"comparison\":{\"pairs\":[8,12]},"));
        FigureComparison ended = compared(sweep.toString()).decisive();
        assertThat(ended.ratio().low()).isLessThan(planned.ratio().low());
        assertThat(ended.ratio().confidence()).isEqualTo(0.95);
    }

    @Test
    void theSameIsTheSame() throws IOException {
        double[] again = Arrays.stream(QUICK).map(value -> value * 1.001).toArray();
        assertThat(ComparisonWords.answer(compared(together(trials.runs("a", QUICK)), together(trials.runs("b", again)))))
            .startsWith("B is the same as A within 3 %: throughput is 0.1 % more");
    }

    /** The throughput of such a side is nearly the asked rate, but its times are much longer. */
    @Test
    void aSideThatFallsBehindAnAskedRateIsJudgedByItsTimes() throws IOException {
        trials.asked(10_000);
        String kept = together(trials.p99(900).runs("a", 10_000, 10_000, 10_000, 10_000, 10_000, 10_000));
        String missed = together(trials.p99(300_000).runs("b", 9_850, 9_850, 9_850, 9_850, 9_850, 9_850));
        Comparison comparison = compared(kept, missed);
        assertThat(ComparisonWords.answer(comparison)).startsWith("B is slower: response p99 is ");
        assertThat(ComparisonWords.notes(comparison)).contains("The asked rate was missed in 6 of 6 trials of B.");
        assertThat(ComparisonJunit.text(List.of(comparison), List.of())).contains("failures=\"1\"", "response p99 of B against A");

        Comparison both = compared(missed, together(trials.runs("c", 9_850, 9_850, 9_850, 9_850, 9_850, 10_000)));
        assertThat(both.headline()).isEqualTo(ComparedFigure.THROUGHPUT);
        assertThat(ComparisonWords.notes(both)).contains("The asked rate was missed in 6 of 6 trials of A and 5 of 6 trials of B.");
        assertThat(ComparisonJunit.text(List.of(both), List.of())).as("of one that passes").contains("The asked rate was missed in 6 of 6");
    }

    @Test
    void oneTrialThatMissedItsRateDoesNotChooseTheFigure() throws IOException {
        trials.asked(10_000).p99(900);
        Comparison comparison = compared(together(trials.runs("a", 10_000, 10_000, 10_000, 10_000, 9_900, 10_000)),
            together(trials.runs("b", 10_000, 10_000, 10_000, 10_000, 10_000, 10_000)));
        assertThat(comparison.headline().name()).isEqualTo("response.p99");
        assertThat(ComparisonWords.notes(comparison)).contains("The asked rate was missed in 1 of 6 trials of A.");
        assertThat(
            compared(together(trials.p99(Double.NaN).asked(Double.NaN).runs("c", QUICK)), together(trials.runs("d", QUICK))).headline())
            .as("no rate was asked").isEqualTo(ComparedFigure.THROUGHPUT);
    }

    /**
     * Trial a6 has no partner. As the last trial it is left over; once others follow it, trials with the same index no longer belong
     * together.
     */
    @Test
    void trialsOfWhichOneHasLostItsPartnerAreNoPairs() throws IOException {
        List<Path> first = new ArrayList<>();
        List<Path> second = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            first.add(trials.run("a" + i, QUICK[i % 6]));
            if (i != 6) {
                second.add(trials.run("b" + i, SLOW[i]));
            }
        }
        assertThat(compared(together(first), together(second)).decisive().paired()).as("the last one is alone").isTrue();
        first.add(trials.run("a7", QUICK[0]));
        second.add(trials.run("b7", SLOW[0]));
        first.remove(0);
        second.remove(0);
        assertThat(compared(together(first), together(second)).decisive().paired()).isFalse();
    }

    /** One-way times in the file of an agent without a known clock offset are not latencies of messages. */
    @Test
    void timesBetweenMachinesThatAreNoneOfMessagesAreNotCompared() throws IOException {
        Path run = trials.run("a", 10_000);
        ComparedFigure response = ComparedFigure.of("response.p99");
        assertThat(MeasuredTrial.in(run).figure(response)).isPositive();
        Path environment = run.resolve("environment.json");
        Files.writeString(environment, Files.readString(environment).replaceFirst("\\{", "{\"oneWayTimes\":\"left out\","));
        assertThat(MeasuredTrial.in(run).figure(response)).isNaN();
        assertThat(MeasuredTrial.in(run).figure(ComparedFigure.THROUGHPUT)).isEqualTo(10_000);
    }

    /** A side that stalls in some trials would otherwise be as fast as the other side. */
    @Test
    void aValueOfZeroIsCountedAndHasNoRatio() throws IOException {
        List<Path> first = new ArrayList<>(trials.runs("a", QUICK));
        first.addAll(trials.runs("still", 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7));
        Comparison comparison = compared(together(first), together(trials.runs("b", QUICK)));
        assertThat(comparison.decisive()).returns(0.0, FigureComparison::first).returns(10_010.0, FigureComparison::second)
            .returns(null, FigureComparison::ratio).returns(RatioVerdict.UNDECIDED, FigureComparison::verdict);
        assertThat(ComparisonWords.answer(comparison))
            .isEqualTo("Cannot tell whether B differs from A: throughput is 0 in 7 of 13 trials of A, which has no ratio.");
        assertThat(ComparisonText.text(List.of(comparison), 0)).containsPattern("throughput +0/s +10,010/s +n/a +13 and 6 +no ratio\n");
        Gate gate = Gate.parse("throughput < 0.97");
        assertThat(gate.of(comparison)).isEqualTo(Gate.Outcome.UNKNOWN);
        assertThat(gate.sentence(comparison))
            .endsWith(" cannot be decided: throughput is 0 in 7 of 13 trials of A, which has no ratio.");
        assertThat(ComparisonJson.text(List.of(comparison), List.of()))
            .containsPattern("\"firstTrials\":13,\"secondTrials\":6,.*?\"firstValues\":\\[10000.0,[0-9.,]+,9980.0(,0.0){7}]");
        assertThat(ComparisonHtml.text(List.of(comparison))).doesNotContain("NaN");
    }

    @Test
    void sidesOfNothingButZeroAreTheSame() throws IOException {
        Comparison.Question waiting =
            question(List.of(ComparedFigure.of("broker.depthMax")), List.of(), 0.03);
        String before = together(trials.more(depth(0)).runs("a", QUICK));
        String after = together(trials.runs("b", QUICK));
        Comparison healthy = compared(waiting, before, after).getFirst();
        assertThat(ComparisonWords.answer(healthy)).isEqualTo("B is the same as A: most waiting is 0 in all trials (6 each).");
        Gate gate = Gate.parse("broker.depthMax > 1.5");
        assertThat(gate.of(healthy)).isEqualTo(Gate.Outcome.PASSED);
        assertThat(gate.sentence(healthy)).endsWith(" does not hold: the ratio is 1.000.");
        assertThat(ComparisonJunit.text(List.of(healthy), List.of(gate))).contains("failures=\"0\"", "skipped=\"0\"");

        Comparison worse = compared(waiting, before, together(trials.more(depth(5_000)).runs("c", QUICK))).getFirst();
        assertThat(ComparisonWords.answer(worse))
            .isEqualTo("Cannot tell whether B differs from A: most waiting is 0 in 6 of 6 trials of A, which has no ratio.");
        assertThat(gate.sentence(worse)).contains(" cannot be decided: most waiting is 0 in 6 of 6 trials of A");
        assertThat(compared(waiting, trials.run("d", 1).toString(), trials.more(depth(0)).run("e", 1).toString()).getFirst().decisive()
            .verdict()).as("one of each").isEqualTo(RatioVerdict.UNDECIDED);
    }

    @Test
    void aFigureBesideThatIsZeroIsSaid() throws IOException {
        Comparison.Question both =
            question(List.of(), List.of(ComparedFigure.of("broker.depthMax")), 0.03);
        String first = together(trials.more(depth(0)).runs("a", QUICK));
        Comparison comparison = compared(both, first, together(trials.more(depth(7)).runs("b", QUICK))).getFirst();
        assertThat(ComparisonWords.notes(comparison))
            .contains("What is 0 has no ratio: most waiting is 0 in 6 of 6 trials of A.");
    }

    @Test
    void namesDoNotBecomePartsOfAPage() {
        assertThat(ComparisonText.escaped("a|b <i> *c* d_e `f` [g](h)\ni & j\\"))
            .isEqualTo("a\\|b &lt;i> \\*c\\* d\\_e \\`f\\` \\[g\\](h) i &amp; j\\\\");
        StringBuilder text = new StringBuilder();
        ComparisonText.table(text, List.of(List.of("run", "value"), List.of("a|b", "1")), "---|---");
        assertThat(text).hasToString("| run | value |\n|---|---|\n| a\\|b | 1 |\n");
    }

    @Test
    void aTimeOfNearlyAMillisecondIsOne() {
        assertThat(ComparedFigure.of("response.p99").text(999.7)).isEqualTo("1.00 ms");
        assertThat(ComparedFigure.of("response.p99").text(999.4)).isEqualTo("999 us");
    }

    /** Memory of a small broker, and a rate over a long distance. */
    @Test
    void whatDiffersDoesNotReadAlike() {
        assertThat(ComparedFigure.of("broker.memory").text(1.4 * (1 << 20))).isEqualTo("1.40 MiB");
        assertThat(ComparedFigure.THROUGHPUT.text(0.0412)).isEqualTo("0.0412/s");
        assertThat(ComparedFigure.THROUGHPUT.text(10_000)).isEqualTo("10,000/s");
    }

    @Test
    void aSingleRunOfEachCannotTell() throws IOException {
        Comparison comparison = compared(trials.run("a", 10_000).toString(), trials.run("b", 5_000).toString());
        assertThat(ComparisonWords.answer(comparison))
            .isEqualTo("Cannot tell whether B differs from A: 1 trial of A and 1 trial of B were measured, "
                + "and 6 of each are needed.");
        assertThat(comparison.decisive().observed()).isEqualTo(0.5);
        assertThat(ComparisonText.text(List.of(comparison), 0)).contains("0.500").contains("too few");
    }

    @Test
    void noisyTrialsCannotTell() throws IOException {
        assertThat(ComparisonWords.answer(compared(together(trials.runs("a", 9_000, 10_000, 11_000, 9_500, 10_500, 10_000)),
            together(trials.runs("b", 8_800, 9_900, 11_000, 9_000, 10_400, 10_100)))))
            .startsWith("Cannot tell whether B differs from A: throughput is");
    }

    @Test
    void variantsOfASweepAreComparedInPairs() throws IOException {
        double[] drifting = Arrays.stream(QUICK).toArray();
        double[] less = new double[drifting.length];
        for (int i = 0; i < drifting.length; i++) {
            drifting[i] *= 1 - 0.1 * i;
            less[i] = drifting[i] * (0.949 + i % 3 * 0.001);
        }
        Path sweep = trials.sweep("sweep", Trials.variants("broker.version=1", drifting, "broker.version=2", less));
        Comparison comparison = compared(sweep.toString());
        assertThat(comparison.decisive().paired()).isTrue();
        assertThat(comparison.decisive().verdict()).isEqualTo(RatioVerdict.LESS);
        assertThat(comparison.second().title()).isEqualTo("broker.version=2");
        assertThat(ComparisonWords.answer(comparison)).endsWith("6 pairs).");
    }

    @Test
    void aFailedTrialTakesItsPartnerWithIt() throws IOException {
        double[] first = {10_000, 10_000, 10_010, 10_000, 9_990, 10_000, 10_005};
        double[] second = {9_500, Double.NaN, 9_505, 9_500, 9_495, 9_500, 9_500};
        Comparison comparison = compared(trials.sweep("sweep", Trials.variants("x=1", first, "x=2", second)).toString());
        assertThat(comparison.decisive().paired()).isTrue();
        assertThat(comparison.decisive().count()).isEqualTo(6);
        assertThat(ComparisonWords.notes(comparison)).contains("Of B, 1 failed, which do not count.");
    }

    @Test
    void runsThatWereMeasuredInTurnArePairs() throws IOException {
        StringBuilder first = new StringBuilder();
        StringBuilder second = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            first.append(i == 0 ? "" : ",").append(trials.run("a" + i, QUICK[i]));
            second.append(i == 0 ? "" : ",").append(trials.run("b" + i, SLOW[i]));
        }
        assertThat(compared(first.toString(), second.toString()).decisive().paired()).isTrue();
    }

    @Test
    void sweepsAreComparedVariantByVariant() throws IOException {
        Path before = trials.sweep("before", Trials.variants("x=1", QUICK, "x=2", SLOW));
        Path after = trials.sweep("after", Trials.variants("x=2", SLOW, "x=1", SLOW));
        List<Comparison> all = compared(AS_THEY_ARE, before.toString(), after.toString());
        assertThat(all).extracting(Comparison::variant).containsExactly("x=1", "x=2");
        assertThat(all).extracting(one -> one.decisive().verdict()).containsExactly(RatioVerdict.LESS, RatioVerdict.SAME);
        Path other = trials.sweep("other", Trials.variants("y=1", QUICK, "y=2", SLOW));
        assertThatThrownBy(() -> compared(before.toString(), other.toString())).isInstanceOf(UsageException.class)
            .hasMessageContaining("no variant in common");
    }

    @Test
    void threeSidesAreComparedWithTheFirst() throws IOException {
        List<Comparison> all = compared(AS_THEY_ARE, together(trials.runs("a", QUICK)), together(trials.runs("b", SLOW)),
            together(trials.runs("c", QUICK)));
        assertThat(all).extracting(one -> one.first().letter() + one.second().letter()).containsExactly("AB", "AC");
        assertThat(all).extracting(one -> one.decisive().verdict()).containsExactly(RatioVerdict.LESS, RatioVerdict.SAME);
    }

    @Test
    void whatCannotBeComparedIsSaidByName() throws IOException {
        String first = together(trials.runs("a", QUICK));
        trials.scenario(Trials.scenario("100B", "10k")).environment("cpuModel", "b").environment("clockSource", "hpet")
            .versions("\"producer client\":\"y 1\",\"broker\":\"B 1.1\"");
        String second = together(trials.runs("b", SLOW));
        Comparison comparison = compared(first, second);
        assertThat(comparison.isComparable()).isFalse();
        assertThat(ComparisonWords.answer(comparison)).isEqualTo("A and B cannot be compared: size (A 1KiB, B 100B); "
            + "machine (A cpuModel a, B cpuModel b); clock (A tsc, B hpet); client (A producer client x 1, B producer client y 1).");
        assertThat(ComparisonWords.notes(comparison)).anySatisfy(note -> assertThat(note).contains("--despite size,machine,clock,client"))
            .contains("What differs: broker (A B 1.0, B B 1.1).");
        assertThat(comparison.verdict(comparison.decisive())).isEqualTo(RatioVerdict.UNDECIDED);
        Comparison meant =
            compared(new Comparison.Question(List.of(), List.of(), 0.03, false, Set.of("size", "machine", "clock", "client", "order")),
                first, second).getFirst();
        assertThat(meant.isComparable()).isTrue();
        assertThat(meant.decisive().verdict()).isEqualTo(RatioVerdict.LESS);
    }

    /** Processors that are divided between sessions give generator and broker other parts than those divided between threads. */
    @Test
    void anotherDivisionOfTheProcessorsIsAnotherMachine() throws IOException {
        String first = together(trials.runs("a", QUICK));
        String second = together(trials.environment("schedAutogroup", "false").runs("b", SLOW));
        assertThat(ComparisonWords.answer(compared(first, second)))
            .contains("machine (A schedAutogroup true, B schedAutogroup false)");
    }

    @Test
    void whatIsWrittenInAnotherWayIsTheSame() throws IOException {
        String first = together(trials.runs("a", QUICK));
        String second = together(trials.scenario(Trials.scenario("1024", "10000")).runs("b", QUICK));
        assertThat(compared(first, second).isComparable()).isTrue();
        String shared =
            together(trials.scenario("destinations: [{queue: B}]\nmessage: {size: 1KiB}\nproducers: {maxPending: 10k, name: producers}\n"
                + "consumers: {count: 1}\nduration: 10000ms\n").runs("s", QUICK));
        Comparison same = compared(first, shared);
        assertThat(same.apart()).isEmpty();
        assertThat(same.subjects()).extracting(Confounder::name).containsExactly("destinations.queue");
        String third = together(trials.scenario(Trials.scenario("1024", "500")).runs("c", QUICK));
        assertThat(compared(first, third).apart()).extracting(Confounder::name).containsExactly("producers.maxPending");
    }

    @Test
    void aTerminalOfEightyColumnsIsWideEnough() throws IOException {
        String text = ComparisonText.text(List.of(compared(together(trials.runs("a", QUICK)), together(trials.runs("b", SLOW)))), 80);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(text).contains("B is slower: throughput is 5 % less");
    }

    @Test
    void labelsAndThresholdsAreNoLoad() throws IOException {
        String first = together(trials.runs("a", QUICK));
        String second = together(trials.scenario(Trials.scenario("1KiB", "10k") + "labels: {build: 7}\nthresholds: ['lost == 0']\n")
            .runs("b", QUICK));
        assertThat(compared(first, second).isComparable()).isTrue();
    }

    @Test
    void failedTrialsOnlyCannotTell() throws IOException {
        Comparison comparison = compared(trials.run("a", 10_000).toString(), trials.failed("b").toString());
        assertThat(ComparisonWords.answer(comparison))
            .isEqualTo("Cannot tell whether B differs from A: no trial of B counts (1 failed).");
    }

    @Test
    void gatesFailOnWhatIsShownAlone() throws IOException {
        Comparison slower = compared(together(trials.runs("a", QUICK)), together(trials.runs("b", SLOW)));
        assertThat(Gate.parse("throughput < 0.97").of(slower)).isEqualTo(Gate.Outcome.FAILED);
        assertThat(Gate.parse("throughput<94%").of(slower)).isEqualTo(Gate.Outcome.PASSED);
        assertThat(Gate.parse("response.p99 > 1.03").of(slower)).isEqualTo(Gate.Outcome.FAILED);
        assertThat(Gate.parse("send.p99 > 1.03").of(slower)).isEqualTo(Gate.Outcome.UNKNOWN);
        Comparison single = compared(trials.run("c", 10_000).toString(), trials.run("d", 5_000).toString());
        assertThat(Gate.parse("throughput < 0.97").of(single)).isEqualTo(Gate.Outcome.UNKNOWN);
        Comparison noisy = compared(together(trials.runs("e", 9_000, 10_000, 11_000, 9_500, 10_500, 10_000)),
            together(trials.runs("f", 8_400, 9_500, 10_800, 8_800, 10_000, 9_600)));
        assertThat(Gate.parse("throughput < 0.97").of(noisy)).isEqualTo(Gate.Outcome.UNCERTAIN);
        assertThat(Gate.parse("throughput < 1.2").of(noisy)).isEqualTo(Gate.Outcome.FAILED);
        assertThatThrownBy(() -> Gate.parse("throughput = 1")).isInstanceOf(UsageException.class)
            .hasMessageContaining("like throughput < 0.97");
        assertThatThrownBy(() -> Gate.parse("throughputs < 1")).isInstanceOf(UsageException.class)
            .hasMessageContaining("did you mean 'throughput'?");
    }

    @Test
    void aRatioDoesNotReadLikeItsLimit() throws IOException {
        double[] limit = {9_699.6, 9_699.6, 9_699.6, 9_699.6, 9_699.6, 9_699.6};
        Comparison slower = compared(together(trials.runs("a", 10_000, 10_000, 10_000, 10_000, 10_000, 10_000)),
            together(trials.runs("b", limit)));
        assertThat(Gate.parse("throughput < 0.97").sentence(slower)).endsWith(" holds: the ratio is 0.96996.");
        assertThat(Gate.parse("throughput < 0.9695").sentence(slower)).endsWith(" does not hold: the ratio is 0.970.");
        assertThat(ComparisonWords.percent(0.0304, 0.03)).isEqualTo("3.04 %");
        assertThat(ComparisonWords.percent(0.03004, 0.03)).isEqualTo("3.004 %");
        assertThat(ComparisonWords.percent(0.03, 0.03)).isEqualTo("3 %");
        assertThat(ComparisonWords.percent(0.0454, 0.03)).isEqualTo("4.5 %");
    }

    /** Times at a rate that one side cannot keep: 9.6 s against 1.1 ms. */
    @Test
    void aSmallRatioIsNotNothing() throws IOException {
        String slow = together(trials.p99(9.6e6).runs("a", QUICK));
        Comparison.Question times = question(List.of(ComparedFigure.of("response.p99")), List.of(), 0.03);
        List<Comparison> all = compared(times, slow, together(trials.p99(1_100).runs("b", QUICK)));
        assertThat(ComparisonWords.answer(all.getFirst())).isEqualTo(
            "B is faster: response p99 is 8,730 times shorter (ratio 0.000115, 95 % interval 0.000115 to 0.000115, 6 each).");
        assertThat(ComparisonText.text(all, 0)).contains("0.000115 - 0.000115");
        assertThat(ComparisonHtml.text(all)).contains("0.000115 (0.000115 to 0.000115)");
        assertThat(ComparisonWords.ratio(0.0412)).isEqualTo("0.0412");
        assertThat(ComparisonWords.ratio(0.1)).isEqualTo("0.100");
        assertThat(ComparisonWords.ratio(0)).isEqualTo("0.000");
        assertThat(ComparisonWords.difference(0.011, ComparedFigure.Kind.RATE)).isEqualTo("98.9 % less");
        assertThat(ComparisonWords.difference(150, ComparedFigure.Kind.TIME)).isEqualTo("150 times longer");
    }

    @Test
    void theLeastEffectHasAllOfItsDigits() throws IOException {
        Comparison.Question fine = question(List.of(), List.of(), 0.0025);
        double[] even = {10_000, 10_000, 10_000, 10_000, 10_000, 10_000};
        assertThat(ComparisonWords.answer(compared(fine, together(trials.runs("a", even)), together(trials.runs("b", even))).getFirst()))
            .startsWith("B is the same as A within 0.25 %: throughput is equal");
        assertThat(ComparisonWords.asked(0.0004)).isEqualTo("0.04 %");
        assertThat(ComparisonWords.asked(0.7 / 100)).isEqualTo("0.7 %");
        assertThat(ComparisonWords.asked(0.1)).isEqualTo("10 %");
    }

    /**
     * A condition and the comparison itself are reported alike: skipped if they cannot be decided, and as an error if the sides cannot be
     * compared.
     */
    @Test
    void aConditionThatCannotBeDecidedIsSkipped() throws IOException {
        List<Gate> gates = List.of(Gate.parse("throughput < 0.97"));
        Comparison noisy = compared(together(trials.runs("e", 9_000, 10_000, 11_000, 9_500, 10_500, 10_000)),
            together(trials.runs("f", 8_400, 9_500, 10_800, 8_800, 10_000, 9_600)));
        assertThat(gates.getFirst().of(noisy)).isEqualTo(Gate.Outcome.UNCERTAIN);
        String few = trials.run("c", 10_000).toString();
        for (Comparison one : List.of(noisy, compared(few, trials.run("d", 5_000).toString()))) {
            assertThat(ComparisonJunit.text(List.of(one), gates)).contains("failures=\"0\"", "errors=\"0\"", "skipped=\"2\"");
        }
        trials.environment("cpuModel", "b");
        assertThat(ComparisonJunit.text(List.of(compared(few, trials.run("other", 5_000).toString())), gates)).contains("errors=\"2\"",
            "skipped=\"0\"");
    }

    @Test
    void aPageNeedsNothingElse() throws IOException {
        Path sweep = trials.sweep("sweep", Trials.variants("x=<b>1</b>", QUICK, "x=2", SLOW));
        String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, sweep.toString()));
        assertThat(page).contains("<h1>B is slower: throughput is 5", "x=&lt;b&gt;1&lt;/b&gt;", "<svg", "Percentiles of the response time",
            "throughput of each trial").doesNotContain("<script", "<b>", "NaN", "src=", "href=");
        assertThat(ComparisonHtml.text(List.of(compared(trials.run("a", 10_000).toString(), trials.failed("b").toString()))))
            .contains("no trial of B counts");
        assertThat(ComparisonHtml.text(List.of(compared(trials.run("c", 10_000).toString(), trials.run("d", 10_000).toString()))))
            .contains("too few").doesNotContain("NaN");
    }

    @Test
    void aPictureHasTheAnswerAndTheRatiosOfThePage() throws IOException {
        Path sweep = trials.sweep("sweep", Trials.variants("x=<b>1</b>", QUICK, "x=2", SLOW));
        String picture = ComparisonHtml.picture(compared(Comparison.Question.USUAL, sweep.toString())).svg();
        assertThat(picture).startsWith("<svg ").contains(">B is slower: throughput is 5", "x=&lt;b&gt;1&lt;/b&gt;, ", ">Ratio of B to A<",
            ">Ratio of B to A over the percentiles of the response time<", "<polygon fill=\"#d55e00\" opacity=\"0.15\"")
            .doesNotContain("class=", "<script", "NaN", "href=");
        assertThat(ComparisonHtml.picture(List.of(compared(trials.run("a", 10_000).toString(), trials.failed("b").toString()))).svg())
            .contains("no trial of B counts").doesNotContain("NaN");
    }

    /** Of these runs the median is the same, and the 99th percentile of the slower side is higher. */
    @Test
    void theRatioIsDrawnAtEachPercentile() throws IOException {
        Path sweep = trials.sweep("sweep", Trials.variants("x=1", QUICK, "x=2", SLOW));
        String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, sweep.toString()));
        String drawing = page.substring(page.indexOf("<h2>Ratio of B to A over the percentiles of the response time</h2>"));
        Matcher mark = Pattern.compile("<rect class=\"mark s1\" x=\"([0-9.]+)\" y=\"([0-9.]+)\"").matcher(drawing);
        assertThat(mark.find()).isTrue();
        assertThat(mark.group(1)).isEqualTo("146.5");
        assertThat(mark.group(2)).as("a ratio of 1").isEqualTo("116.5");
        assertThat(mark.find()).isTrue();
        assertThat(mark.group(1)).isEqualTo("606.5");
        assertThat(Double.parseDouble(mark.group(2))).isLessThan(116.5);
        assertThat(drawing).contains("<polygon class=\"area1\"");
    }

    /** The chart has ratios from 1/4 to 4; an interval that is entirely outside is drawn at the edge. */
    @Test
    void anIntervalFarAwayIsDrawnInThePicture() throws IOException {
        Path quick = trials.sweep("quick", Trials.variants("x=1", QUICK, "x=2", Arrays.stream(QUICK).map(rate -> rate * 10).toArray()));
        Path slow = trials.sweep("slow", Trials.variants("x=1", QUICK, "x=2", Arrays.stream(QUICK).map(rate -> rate / 10).toArray()));
        for (Path sweep : List.of(quick, slow)) {
            String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, sweep.toString()));
            Matcher line = Pattern.compile("<line class=\"interval\" x1=\"([0-9.-]+)\" y1=\"[0-9.]+\" x2=\"([0-9.-]+)\"").matcher(page);
            assertThat(line.find()).isTrue();
            do {
                assertThat(Double.parseDouble(line.group(1))).isBetween(150.0, 610.0);
                assertThat(Double.parseDouble(line.group(2))).isBetween(150.0, 610.0);
            } while (line.find());
        }
    }

    private static String card(double without, double back, int lost) {
        return String.format(Locale.ROOT,
            "\"failover\":{\"recovered\":%s,\"faultSeconds\":8.004,\"faultKnown\":true,\"detectSeconds\":0.012,"
                + "\"withoutSendSeconds\":%f,\"withoutDeliverySeconds\":%f,\"to95PercentSeconds\":%s,\"catchUpSeconds\":0.75,"
                + "\"longestWaitSeconds\":2,\"rateBefore\":1000,\"attempts\":1,\"restored\":2,\"sendsFailed\":3,\"sendsRetried\":4,\"confirmedLost\":%d,"
                + "\"confirmedUnaccounted\":0,\"unknown\":7,\"unknownDelivered\":8,\"duplicatesFlagged\":9,\"duplicatesUnflagged\":10,"
                + "\"duplicatesResent\":11,\"outOfOrder\":12},",
            back > 0, without, without + 1, back > 0 ? Double.toString(back) : "null", lost);
    }

    @Test
    void scorecardsStandSideBySide() throws IOException {
        trials.more(card(0.7, 0.9, 0)).versions("\"broker\":\"ActiveMQ 6.3.1\"");
        Path one = trials.run("one", 1000);
        trials.more(card(0.9, 1.1, 0));
        Path two = trials.run("two", 1000);
        trials.more(card(11, 0, 5)).versions("\"broker\":\"<Artemis>\"");
        Path three = trials.failed("three");
        String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, one + "," + two, three.toString()));
        assertThat(page).contains("<h1>Failover</h1>",
            "A: one and 1 more (ActiveMQ 6.3.1), 2 scored runs. RECOVERED in all of 2 runs from 1,000/s, fault at 8.00 s.",
            "B: three (&lt;Artemis&gt;), 1 scored run. NOT RECOVERED", "<title>A: 700 ms</title>", "<title>B: 11.0 s</title>",
            "<td>longest without a confirmed send</td><td>700 ms  (700 ms .. 900 ms)</td><td>11.0 s</td><td></td>",
            "<td>from the fault to 95 % of the rate</td><td>900 ms  (900 ms .. 1.10 s)</td><td>never</td>",
            "<td>confirmed and lost</td><td>0</td><td>5</td>").doesNotContain("NaN", "<script");
        trials.more(card(40, 0, 0));
        Path cut = trials.run("cut", 1000).resolve("result.json");
        Files.writeString(cut, Files.readString(cut).replace("\"signal\":0", "\"signal\":2"));
        assertThat(ComparisonHtml.text(compared(Comparison.Question.USUAL, one + "," + two + "," + cut.getParent(), three.toString())))
            .contains("2 scored runs. RECOVERED in all of 2 runs").doesNotContain("40.0 s");
        trials.more("");
        assertThat(ComparisonHtml.text(compared(Comparison.Question.USUAL, one.toString(), trials.run("four", 1000).toString())))
            .as("one of them had no fault").doesNotContain("Failover");
    }

    /** The longest wait is unknown in two of four runs. The chart and the table have the lower median of the others. */
    @Test
    void anUnknownLongestWaitIsNotLongerThanTheOthers() throws IOException {
        List<Path> runs = new ArrayList<>();
        for (String longest : List.of("1", "2", "null", "null")) {
            trials.more(card(0.7, 0.9, 0).replace("\"longestWaitSeconds\":2", "\"longestWaitSeconds\":" + longest));
            runs.add(trials.run("run" + runs.size(), 1000));
        }
        trials.more(card(0.7, 0.9, 0));
        assertThat(ComparisonHtml.text(compared(AS_THEY_ARE, together(runs), trials.run("other", 1000).toString())))
            .contains("<td>1.00 s  (not known in 2)</td>", ">1.00 s, not all</text>").doesNotContain(">2.00 s, not all</text>");
    }

    /** A run that cannot be judged is in no range and in no chart except that of the longest wait, and none of its times is "never". */
    @Test
    void aScorecardThatCannotBeJudgedHasNoTimes() throws IOException {
        trials.more(card(0.7, 0.9, 0));
        Path one = trials.run("one", 1000);
        trials.more(card(11, 0, 5).replace("\"recovered\":false", "\"recovered\":null").replace("11.000000", "null")
            .replace("12.000000", "null").replace("\"rateBefore\":1000", "\"rateBefore\":0"));
        Path early = trials.failed("early");
        String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, one.toString(), early.toString()));
        assertThat(page).contains("1 scored run. NOT JUDGED: nothing was confirmed before the fault at 8.00 s.", "<title>A: 700 ms</title>",
            "<td>longest without a confirmed send</td><td>700 ms</td><td></td>",
            "<td>from the fault to 95 % of the rate</td><td>900 ms</td><td></td>", "<title>B: 2.00 s</title>")
            .doesNotContain("NaN", "<title>B: 7", "<title>B: 1", "never");
    }

    /**
     * Returns a scorecard with a second fault at 20 s, before which the run had recovered from the first one.
     *
     * @param number number of the second fault on the time line; 0 for a result without numbers
     */
    private static String twice(double without, double later, int number) {
        String card = card(without, 0.9, 0).replace("\"faultKnown\"", (number > 0 ? "\"fault\":1," : "") + "\"faultKnown\"");
        return card.replaceFirst("},$", ",\"further\":[{\"recovered\":true," + (number > 0 ? "\"fault\":" + number + "," : "")
            + "\"faultSeconds\":20,\"detectSeconds\":0.2,"
            + "\"withoutSendSeconds\":" + later + ",\"withoutDeliverySeconds\":0.5,\"to95PercentSeconds\":0.6,\"catchUpSeconds\":0.1,"
            + "\"longestWaitSeconds\":0.7,\"rateBefore\":1000}]},");
    }

    @Test
    void eachFaultOfATimeLineIsCompared() throws IOException {
        trials.more(twice(0.7, 0.3, 2));
        Path one = trials.run("one", 1000);
        trials.more(twice(0.9, 0.4, 2));
        Path two = trials.run("two", 1000);
        trials.more(card(11, 0.9, 0));
        Path three = trials.run("three", 1000);
        String page = ComparisonHtml.text(compared(Comparison.Question.USUAL, one + "," + two, three.toString()));
        assertThat(page).contains("<h2>Times of fault 1 of A, scored fault 1 of B</h2>", "<h2>Times of fault 2</h2>",
            "<title>A: 400 ms</title>", "<h2>Fault 2</h2>",
            "<td>took effect at</td><td>20.0 s</td><td></td>", "<td>outcome</td><td>recovered in 2 of 2 runs</td><td></td>",
            "<td>longest without a confirmed send</td><td>300 ms  (300 ms .. 400 ms)</td><td></td>").doesNotContain("NaN");
    }

    private String comparedFaults(int first, int second) throws IOException {
        trials.more(twice(0.7, 0.3, first));
        Path one = trials.run("first", 1000);
        trials.more(twice(0.9, 0.4, second));
        return ComparisonHtml.text(compared(Comparison.Question.USUAL, one.toString(), trials.run("second", 1000).toString()));
    }

    @Test
    void aFaultIsNamedByItsOwnNumberOnTheTimeLine() throws IOException {
        assertThat(comparedFaults(3, 3)).contains("<h2>Times of fault 1</h2>", "<h2>Times of fault 3</h2>", "<h2>Fault 3</h2>")
            .doesNotContain("ault 2");
    }

    @Test
    void aFaultThatIsAnotherOneOfEachSideIsNamedForEach() throws IOException {
        assertThat(comparedFaults(2, 3)).contains("<h2>Times of fault 2 of A, fault 3 of B</h2>", "<h2>Fault 2 of A, fault 3 of B</h2>");
    }

    @Test
    void faultsOfResultsThatDoNotNameThemAreCounted() throws IOException {
        assertThat(comparedFaults(0, 0)).contains("<h2>Times of scored fault 1</h2>", "<h2>Scored fault 2</h2>");
    }

    @Test
    void markdownJsonAndJunitSayTheSame() throws IOException {
        List<Comparison> all = List.of(compared(together(trials.runs("a", QUICK)), together(trials.runs("b", SLOW))));
        assertThat(ComparisonText.markdown(all)).contains("**B is slower: throughput is 5 % less",
            "| throughput | 10,010/s | 9,505/s | 0.950 |");
        assertThat(ComparisonJson.text(all, List.of(Gate.parse("throughput < 0.97")))).contains("\"verdict\":\"less\"",
            "\"outcome\":\"failed\"",
            "\"unit\":\"msg/s\"");
        assertThat(ComparisonJunit.text(all, List.of(Gate.parse("throughput < 0.97")))).contains("tests=\"2\"", "failures=\"2\"",
            "throughput of B against A", "not throughput &lt; 0.97");
    }
}
