package io.brokermeter.analysis;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Numbers;

/**
 * A condition on the ratio of two sides that fails a build when it holds, such as {@code throughput < 0.97}.
 *
 * @param text the condition as the user wrote it
 * @param figure the figure that the condition applies to
 * @param below whether a ratio below the limit fails the build; otherwise a ratio above it does
 * @param limit limit of the ratio of the second side to the first
 */
public record Gate(String text, ComparedFigure figure, boolean below, double limit) {

    private static final Pattern FORM =
        Pattern.compile("\\s*([A-Za-z][A-Za-z0-9.]*)\\s*([<>])\\s*([0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)\\s*(%?)\\s*");

    /** The outcome of a gate. */
    public enum Outcome {
        /** The condition does not hold. */
        PASSED,
        /** The condition holds, and chance does not explain it. */
        FAILED,
        /** The condition holds for the estimate, but chance may explain it. */
        UNCERTAIN,
        /** The condition cannot be decided: too few trials, sides that cannot be compared, or an unknown figure. */
        UNKNOWN
    }

    /**
     * Parses a condition such as {@code throughput < 0.97} or {@code response.p99 > 105%}.
     *
     * @throws UsageException when the text is not a valid condition
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
     * Returns the outcome for a comparison that has the figure. The gate fails when the condition holds for the whole interval. Sides in
     * which the figure is 0 in all trials are equal.
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
        return holds(below ? ratio.high() : ratio.low()) ? Outcome.FAILED : Outcome.UNCERTAIN;
    }

    private boolean holds(double ratio) {
        return below ? ratio < limit : ratio > limit;
    }

    /** Returns the outcome for a comparison in one sentence. */
    public String sentence(Comparison comparison) {
        FigureComparison figures = comparison.figures().stream().filter(one -> one.figure().equals(figure)).findFirst().orElse(null);
        ConfidenceInterval ratio = figures == null ? null : figures.ratio();
        return sentence(of(comparison), with(comparison.variant()) + " (" + comparison.second().letter() + " to "
            + comparison.first().letter() + ")", figures == null ? Double.NaN : figures.observed(),
            ratio == null ? "" : "its " + ComparisonWords.interval(ratio) + " includes the limit.",
            !comparison.isComparable() && !comparison.isBlocked() ? "the sides cannot be compared."
                : figures == null ? "the figure is not known on both sides."
                    : figures.lacksRatio() ? ComparisonWords.zeros(figures, comparison) + ", which has no ratio."
                        : comparison.isBlocked() && (ratio != null || figures.isSameNothing()) ? ComparisonWords.blocked(comparison) + "."
                            : "there are too few trials.");
    }

    /**
     * Returns the outcome for a history of the figure. It depends on the last change, the ratio of the median of the newest level to that
     * of the level before; the ratio is 1 when no change was found. A change that the newest point alone shows does not fail yet.
     */
    public Outcome of(History history) {
        History.Level emerging = history.emerging();
        return !history.isLongEnough() ? Outcome.UNKNOWN : holds(history.lastChange()) ? Outcome.FAILED
            : emerging != null && holds(emerging.change()) ? Outcome.UNCERTAIN : Outcome.PASSED;
    }

    /** Returns the outcome for a history in one sentence. */
    public String sentence(History history) {
        Outcome outcome = of(history);
        History.Level emerging = history.emerging();
        History.Level level = outcome == Outcome.UNCERTAIN ? emerging : history.levels().size() < 2 ? null : history.levels().getLast();
        String since = !history.isLongEnough() ? "" : level == null ? " (no change found)"
            : " (since " + history.points().get(level.from()).name()
                + (history.pointsOf(level).stream().allMatch(History.Point::isDoubtful) ? ", all runs since are doubtful)" : ")");
        return sentence(outcome, with(history.variant()) + since, level == null ? 1 : level.change(),
            "the newest run is the first to show it; the next one decides.",
            history.points().isEmpty() ? "no run has the figure." : "there are too few runs.");
    }

    private static String with(String variant) {
        return variant.isEmpty() ? "" : " with " + variant;
    }

    private String sentence(Outcome outcome, String where, double ratio, String open, String unknown) {
        String number = Double.isNaN(ratio) ? "" : amount(ratio);
        return "'" + text + "'" + where + switch (outcome) {
            case PASSED -> " does not hold: the ratio is " + number + ".";
            case FAILED -> " holds: the ratio is " + number + ".";
            case UNCERTAIN -> " may hold by chance alone: the ratio is " + number + ", and " + open;
            case UNKNOWN -> " cannot be decided: " + unknown;
        };
    }

    /**
     * Formats a ratio with as many digits as show on which side of the limit it is: a ratio that narrowly misses the limit must not read as
     * one that keeps it.
     */
    private String amount(double ratio) {
        if (Double.isInfinite(ratio)) {
            return "infinite";
        }
        String rounded = ComparisonWords.ratio(ratio);
        return holds(Double.parseDouble(rounded)) == holds(ratio) ? rounded : Numbers.plain(ratio);
    }

    /** An outcome as files have it. */
    record Judged(String expression, String outcome, String sentence) {}

    /**
     * Returns the outcome as files have it.
     *
     * @param sentence a sentence that this gate returned for the outcome
     */
    Judged judged(Outcome outcome, String sentence) {
        return new Judged(text, outcome.name().toLowerCase(Locale.ROOT), sentence);
    }
}
