package io.brokermeter.analysis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.reports.formats.JUnitXml;

/**
 * Formats comparisons as test cases of a build server. Each comparison is a test case that fails when the deciding figure of the second
 * side is worse, is skipped when nothing can be decided, and is an error when the sides cannot be compared. Each gate is a test case as
 * well.
 */
public final class ComparisonJunit {

    private ComparisonJunit() {}

    /** Returns the whole document. */
    public static String text(List<Comparison> comparisons, List<Gate> gates) {
        List<JUnitXml.Case> cases = new ArrayList<>();
        for (Comparison one : comparisons) {
            String suite = "comparison" + (one.variant().isEmpty() ? "" : " " + one.variant());
            String outcome = outcome(one);
            List<String> answer = List.of(ComparisonWords.answer(one));
            List<String> notes = ComparisonWords.notes(one);
            cases.add(new JUnitXml.Case(suite,
                one.headline().heading() + " of " + one.second().letter() + " against " + one.first().letter(), Double.NaN,
                outcome, outcome.isEmpty() ? List.of() : answer,
                outcome.isEmpty() ? Stream.concat(answer.stream(), notes.stream()).toList() : notes));
            for (Gate gate : gates) {
                String judged = switch (gate.of(one)) {
                    case FAILED -> "failure";
                    case UNKNOWN, UNCERTAIN -> one.isComparable() || one.isBlocked() ? "skipped" : "error";
                    case PASSED -> "";
                };
                List<String> sentence = List.of(gate.sentence(one));
                cases.add(new JUnitXml.Case(suite, "not " + gate.text(), Double.NaN, judged, judged.isEmpty() ? List.of() : sentence,
                    judged.isEmpty() ? sentence : List.of()));
            }
        }
        String start = comparisons.stream().flatMap(one -> one.second().trials().stream()).map(MeasuredTrial::start)
            .filter(Instant.class::isInstance).map(String::valueOf).findFirst().orElse("");
        return JUnitXml.text("compare", start, Map.of(), cases);
    }

    private static String outcome(Comparison comparison) {
        FigureComparison decisive = comparison.decisive();
        if (!comparison.isComparable()) {
            return comparison.isBlocked() ? "skipped" : "error";
        }
        if (decisive == null || decisive.verdict() == RatioVerdict.UNDECIDED) {
            return "skipped";
        }
        return decisive.figure().kind().isWorse(decisive.verdict()) ? "failure" : "";
    }
}
