package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import io.brokermeter.analysis.html.ComparisonHtml;
import io.brokermeter.analysis.statistics.Noise;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.EnvironmentDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the order of the trials allows to say about two sides. */
class TrialOrderTest {

    private static final String BLOCKS = "AAAAAAAABBBBBBBB";
    private static final String PAIRS = "ABBABAABABBAABBA";
    private static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");

    /** Compares trials that began a minute apart, in the order of their sides. */
    private static Comparison compared(String order, double[] throughputs, String... meant) {
        List<MeasuredTrial> first = new ArrayList<>();
        List<MeasuredTrial> second = new ArrayList<>();
        for (int i = 0; i < throughputs.length; i++) {
            StoredResult result = StoredResult.of(Map.of("success", true, "receives", true, "sends", true,
                "rates", Map.of("measuredReceivedPerSecond", throughputs[i], "measuredSentPerSecond", throughputs[i])));
            (order.charAt(i) == 'A' ? first : second)
                .add(new MeasuredTrial(Path.of("none"), BEGIN.plusSeconds(60L * i), result, EnvironmentDocument.UNKNOWN));
        }
        return Comparison.of("", new Side("A", "before", first), new Side("B", "after", second),
            new Comparison.Question(List.of(), List.of(), 0.03, false, Set.of(meant)));
    }

    /** Returns throughputs whose noise has a correlation between neighbours, of which those of B are lower. */
    private static double[] throughputs(String order, SplittableRandom random, double correlation, double drift, double ratio) {
        double[] values = Noise.correlated(random, order.length(), correlation, 0.03);
        for (int i = 0; i < values.length; i++) {
            values[i] = 10_000 * Math.exp(values[i] - drift * i / values.length) * (order.charAt(i) == 'B' ? ratio : 1);
        }
        return values;
    }

    private static double claims(String order, double correlation, double drift, double ratio, String... meant) {
        SplittableRandom random = new SplittableRandom(46);
        int claims = 0;
        for (int i = 0; i < 300; i++) {
            Comparison one = compared(order, throughputs(order, random.split(), correlation, drift, ratio), meant);
            claims += one.verdict(one.decisive()).isDifference() ? 1 : 0;
        }
        return claims / 300.0;
    }

    /** Sides that are equal, measured one after the other: what is claimed as soon as the order is said not to matter. */
    @ParameterizedTest
    @CsvSource({"0.6, 0, 0.15", "0, 0.1, 0.6"})
    void whatDriftsIsNoDifferenceOfSidesMeasuredOneAfterTheOther(double correlation, double drift, double without) {
        assertThat(claims(BLOCKS, correlation, drift, 1)).isZero();
        assertThat(claims(BLOCKS, correlation, drift, 1, "order")).isGreaterThan(without);
        assertThat(claims("AABBBABABAABAABB", correlation, drift, 1)).as("in a random order").isLessThan(0.07);
        assertThat(claims(PAIRS, correlation, drift, 1)).as("in turn").isLessThan(0.05);
    }

    @ParameterizedTest
    @CsvSource({"0.6, 0", "0, 0", "0, 0.1"})
    void sidesMeasuredInTurnKeepTheirPower(double correlation, double drift) {
        assertThat(claims(PAIRS, correlation, drift, 0.93)).isGreaterThan(0.9);
        assertThat(claims(BLOCKS, correlation, drift, 0.93)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {BLOCKS, "BBBBBBBBAAAAAAAA", "AAAABBBBAAAABBBB", "AAABBBBBAAAAABBB"})
    void sidesThatChangeSeldomAreBlocks(String order) {
        assertThat(compared(order, throughputs(order, new SplittableRandom(1), 0, 0, 1)).apart()).extracting(Confounder::name)
            .containsExactly("order");
    }

    @ParameterizedTest
    @ValueSource(strings = {PAIRS, "AABBAABBAABBAABB", "ABABABABABABABAB", "AABABBAABABBBABA"})
    void sidesThatChangeOftenAreNone(String order) {
        assertThat(compared(order, throughputs(order, new SplittableRandom(1), 0, 0, 1)).apart()).isEmpty();
    }

    @Test
    void everyFormatSaysWhyThereIsNoAnswer() {
        Gate gate = Gate.parse("throughput < 0.97");
        Comparison blocked = compared(BLOCKS, throughputs(BLOCKS, new SplittableRandom(1), 0, 0, 0.8));
        String answer = ComparisonWords.answer(blocked);
        assertThat(answer)
            .startsWith("Cannot tell whether B differs from A: one was measured after the other (8 trials of A, 8 of B 60.0 s "
                + "later), so that a drift of the machine would look like a difference, or hide one; throughput is ");
        assertThat(ComparisonWords.notes(blocked)).containsExactly("To tell, measure in turn: brokermeter ab --a KEY=VALUE --b KEY=VALUE "
            + "FILE. With --despite order they are judged as if nothing had drifted.");
        assertThat(gate.of(blocked)).isEqualTo(Gate.Outcome.UNKNOWN);
        assertThat(gate.sentence(blocked)).startsWith("'throughput < 0.97' (B to A) cannot be decided: one was measured after the other (");
        List<Comparison> all = List.of(blocked);
        assertThat(List.of(ComparisonText.text(all, 0), ComparisonText.markdown(all), ComparisonHtml.text(all),
            ComparisonJson.text(all, List.of(gate)), ComparisonJunit.text(all, List.of(gate))))
            .allSatisfy(text -> assertThat(text).contains("one was measured after the other", "--despite order").doesNotContain("slower"));
        assertThat(ComparisonJson.text(all, List.of(gate))).contains("\"verdict\":\"undecided\"", "\"outcome\":\"unknown\"",
            "\"inTurn\":false").contains("\"secondsAfterLast\":60.0");
        assertThat(ComparisonJunit.text(all, List.of(gate))).contains("skipped=\"2\"", "failures=\"0\"", "errors=\"0\"");

        Comparison meant = compared(BLOCKS, throughputs(BLOCKS, new SplittableRandom(1), 0, 0, 0.8), "order");
        assertThat(ComparisonWords.answer(meant)).startsWith("B is slower: throughput is ");
        assertThat(ComparisonWords.notes(meant)).containsExactly("Measured in this order: 8 trials of A, 8 of B 60.0 s later.");
        assertThat(gate.of(meant)).isEqualTo(Gate.Outcome.FAILED);
        assertThat(ComparisonWords.notes(compared(PAIRS, throughputs(PAIRS, new SplittableRandom(1), 0, 0, 0.8))))
            .containsExactly("Measured in turn.");
    }

    @Test
    void tooFewTrialsAreTheReasonWhateverTheirOrderIs() {
        Comparison few = compared("AAABBB", throughputs("AAABBB", new SplittableRandom(1), 0, 0, 0.8));
        assertThat(ComparisonWords.answer(few)).contains("3 trials of A and 3 trials of B count, and 6 of each are needed");
        assertThat(ComparisonWords.notes(few)).containsExactly("Measured in this order: 3 trials of A, 3 of B 60.0 s later.");
        assertThat(Gate.parse("throughput < 0.97").sentence(few)).endsWith("there are too few trials.");
    }

    @Test
    void neighboursThatAreAlikeAreSaid() {
        // One period of a sine in eight steps: the cosine of a step.
        double[] waves = new double[BLOCKS.length()];
        for (int i = 0; i < waves.length; i++) {
            waves[i] = 10_000 + 1_000 * Math.sin(i * Math.PI / 4);
        }
        assertThat(ComparisonWords.notes(compared(BLOCKS, waves, "order")))
            .contains("Neighbouring trials of a side are alike (correlation 0.71), so that intervals are too narrow.");
    }
}
