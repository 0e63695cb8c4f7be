package io.brokermeter.analysis;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Numbers;

/**
 * A condition on the ratio of two sides under which a build is to fail, such as {@code throughput < 0.97}.
 *
 * @param text as it was written
 * @param below whether a ratio below the limit fails; else one above it
 * @param limit of the ratio of the second side to the first
 */
public record Gate(String text, ComparedFigure figure, boolean below, double limit) {

    private static final Pattern FORM =
        Pattern.compile("\\s*([A-Za-z][A-Za-z0-9.]*)\\s*([<>])\\s*([0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)\\s*(%?)\\s*");

    /** What became of it. */
    public enum Outcome {
        /** The condition does not hold. */
        PASSED,
        /** It holds, and chance does not explain it. */
        FAILED,
        /** The figures point there, and chance may explain it. */
        UNCERTAIN,
        /** Too few trials, sides that cannot be compared, or no such figure. */
        UNKNOWN
    }

    /**
     * Reads {@code throughput < 0.97} or {@code response.p99 > 105%}.
     *
     * @throws UsageException with one sentence
     */
    public static Gate parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new UsageException("'" + text + "' must be a figure, < or >, and a ratio to the first side, like throughput < 0.97.");
        }
        double limit = Double.parseDouble(form.group(3)) / (form.group(4).isEmpty() ? 1 : 100);
        if (!(limit > 0)) {
            throw new UsageException("'" + text + "' must have a ratio above 0.");
        }
        return new Gate(text.strip(), ComparedFigure.of(form.group(1)), form.group(2).equals("<"), limit);
    }

    /**
     * Whether a comparison, which has the figure, fails it. A limit that equal sides would keep is failed when the estimate does, and the interval excludes
     * equality; one that they would not keep, when the estimate does. Sides that are 0 in all trials are equal.
     */
    public Outcome of(Comparison comparison) {
        FigureComparison figures = comparison.figures().stream().filter(one -> one.figure().equals(figure)).findFirst().orElse(null);
        ConfidenceInterval ratio = figures == null ? null : figures.ratio();
        if (figures != null && comparison.isComparable() && figures.isSameNothing()) {
            return holds(1) ? Outcome.FAILED : Outcome.PASSED;
        }
        if (ratio == null || !comparison.isComparable()) {
            return Outcome.UNKNOWN;
        }
        if (!holds(ratio.estimate())) {
            return Outcome.PASSED;
        }
        return holds(1) || ratio.excludes(1) ? Outcome.FAILED : Outcome.UNCERTAIN;
    }

    private boolean holds(double ratio) {
        return below ? ratio < limit : ratio > limit;
    }

    /** What became of it, in one sentence. */
    public String sentence(Comparison comparison) {
        FigureComparison figures = comparison.figures().stream().filter(one -> one.figure().equals(figure)).findFirst().orElse(null);
        return sentence(of(comparison), with(comparison.variant()) + " (" + comparison.second().letter() + " to "
            + comparison.first().letter() + ")", figures == null ? Double.NaN : figures.observed(),
            !comparison.isComparable() ? "the sides cannot be compared."
                : figures == null ? "the figure is not known on both sides."
                    : figures.lacksRatio() ? ComparisonWords.zeros(figures, comparison) + ", which has no ratio."
                        : "there are too few trials.");
    }

    /**
     * Whether a history, which is of the figure, fails it by its last change: the median of the newest level to that of the level before. Where nothing has
     * changed, the ratio is 1.
     */
    public Outcome of(History history) {
        return !history.isLongEnough() ? Outcome.UNKNOWN : holds(history.lastChange()) ? Outcome.FAILED : Outcome.PASSED;
    }

    /** What became of it, in one sentence. */
    public String sentence(History history) {
        String since = !history.isLongEnough() ? "" : history.levels().size() < 2 ? " (nothing has changed)"
            : " (since " + history.points().get(history.levels().getLast().from()).name() + ")";
        return sentence(of(history), with(history.variant()) + since, history.lastChange(),
            history.points().isEmpty() ? "no run has the figure." : "there are too few runs.");
    }

    private static String with(String variant) {
        return variant.isEmpty() ? "" : " with " + variant;
    }

    private String sentence(Outcome outcome, String where, double ratio, String unknown) {
        String number = Double.isNaN(ratio) ? "" : amount(ratio);
        return "'" + text + "'" + where + switch (outcome) {
            case PASSED -> " does not hold: the ratio is " + number + ".";
            case FAILED -> " holds: the ratio is " + number + ".";
            case UNCERTAIN -> " may hold by chance alone: the ratio is " + number + ", and its interval does not exclude 1.";
            case UNKNOWN -> " cannot be decided: " + unknown;
        };
    }

    /** With as many digits as it needs to be on its side of the limit: one that is missed by little must not read like one that is kept. */
    private String amount(double ratio) {
        if (Double.isInfinite(ratio)) {
            return "infinite";
        }
        String rounded = ComparisonWords.ratio(ratio);
        return holds(Double.parseDouble(rounded)) == holds(ratio) ? rounded : Numbers.plain(ratio);
    }

    /**
     * What became of it, as files have it: {@code expression}, {@code outcome} and {@code sentence}.
     *
     * @param sentence one of this gate's
     */
    Map<String, Object> values(Outcome outcome, String sentence) {
        return Map.of("expression", text, "outcome", outcome.name().toLowerCase(Locale.ROOT), "sentence", sentence);
    }
}
