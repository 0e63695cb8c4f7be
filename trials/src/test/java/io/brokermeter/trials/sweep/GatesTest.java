package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.FigureComparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.RatioVerdict;
import io.brokermeter.analysis.Side;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Exit statuses and sentences of {@code --fail-if}. */
class GatesTest {

    private static final List<Gate> SLOWER = List.of(Gate.parse("throughput < 0.97"));

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);

    private static Comparison of(@Nullable ConfidenceInterval ratio) {
        return new Comparison("", new Side("A", "a", List.of()), new Side("B", "b", List.of()), ComparedFigure.THROUGHPUT, List.of(
            new FigureComparison(ComparedFigure.THROUGHPUT, 10_000, 9_500, 8, 8, 0, 0, true, 8, ratio, RatioVerdict.UNDECIDED)), List.of(),
            List.of(), 0.03, false);
    }

    private int judged(ConfidenceInterval ratio) {
        return Gates.judged(List.of(of(ratio)), SLOWER, err);
    }

    /** On a noisy CI runner, equal versions differ by as much in many builds. */
    @Test
    void whatChanceMayExplainPassesWithASentence() {
        assertThat(judged(new ConfidenceInterval(0.95, 0.9, 1.01, 0.95))).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines(
            "--fail-if 'throughput < 0.97' (B to A) may hold by chance alone: the ratio is 0.950, and its 95 % interval 0.900 to "
                + "1.010 includes the limit.");
    }

    /** A broker that is 2 % slower, which the limit of 3 % allows: the interval excludes 1, but not the limit. */
    @Test
    void whatIsSlowerByLessThanTheLimitPassesWhereTheEstimateMissesIt() {
        assertThat(judged(new ConfidenceInterval(0.969, 0.955, 0.983, 0.95))).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8))
            .contains("may hold by chance alone: the ratio is 0.969, and its 95 % interval 0.955 to "
                + "0.983 includes the limit.");
        assertThat(judged(new ConfidenceInterval(0.95, 0.94, 0.9699, 0.95))).isEqualTo(99);
    }

    @Test
    void aRatioThatKeepsTheLimitPassesHoweverWideItsIntervalIs() {
        assertThat(judged(new ConfidenceInterval(0.98, 0.93, 1.03, 0.95))).isZero();
        assertThat(said.size()).isZero();
    }

    @Test
    void whatIsShownFailsWhateverElseIsOpen() {
        assertThat(judged(new ConfidenceInterval(0.95, 0.94, 0.96, 0.95))).isEqualTo(99);
        assertThat(Gates.judged(List.of(of(new ConfidenceInterval(0.95, 0.94, 0.96, 0.95)), of(null)), SLOWER, err)).isEqualTo(99);
    }

    @Test
    void tooFewTrialsLeaveItOpen() {
        assertThat(Gates.judged(List.of(of(null), of(new ConfidenceInterval(0.95, 0.9, 1.01, 0.95))), SLOWER, err)).isEqualTo(1);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("cannot be decided: there are too few trials.");
    }
}
