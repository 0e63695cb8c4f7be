package io.brokermeter.analysis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.SerialCorrelation;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.Amounts;

/** Formats a comparison as sentences. */
public final class ComparisonWords {

    /** The ratio from which on a difference is stated as a factor. */
    private static final double FACTOR = 100;
    /** The ratio below which three decimals show fewer than three significant digits. */
    private static final double SMALL = 0.1;

    private ComparisonWords() {}

    /** Returns the finding of the deciding figure in one sentence. */
    public static String answer(Comparison comparison) {
        String first = comparison.first().letter();
        String second = comparison.second().letter();
        if (!comparison.isComparable() && !comparison.isBlocked()) {
            return first + " and " + second + " cannot be compared: " + conditions(comparison.apart(), comparison) + ".";
        }
        FigureComparison decisive = comparison.decisive();
        if (decisive == null) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + missing(comparison) + ".";
        }
        ConfidenceInterval ratio = decisive.ratio();
        if (decisive.isSameNothing() && !comparison.isBlocked()) {
            return second + " is the same as " + first + ": " + decisive.figure().heading() + " is 0 in all trials (" + trials(decisive)
                + ").";
        }
        if (decisive.lacksRatio()) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + zeros(decisive, comparison)
                + ", which has no ratio.";
        }
        if (decisive.isSameNothing()) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + blocked(comparison) + "; "
                + decisive.figure().heading() + " is 0 in all trials.";
        }
        if (ratio == null) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + counts(decisive, comparison) + ", and "
                + HodgesLehmann.FEWEST + " of each are needed.";
        }
        String measured = decisive.figure().heading() + " is " + difference(decisive) + " (ratio " + ratio(ratio.estimate()) + ", "
            + interval(ratio) + ", " + trials(decisive)
            + (isAllDoubtful(comparison) ? ", all of them doubtful" : "") + ")";
        if (comparison.isBlocked()) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + blocked(comparison) + "; " + measured + ".";
        }
        return switch (decisive.verdict()) {
            case LESS, MORE -> second + " " + judged(decisive) + ": " + measured + ".";
            case SAME -> second + " is the same as " + first + " within " + asked(comparison.least()) + ": " + measured + ".";
            case UNDECIDED ->
                "Cannot tell whether " + second + " differs from " + first + ": " + measured + ", which neither shows a difference of "
                    + asked(comparison.least()) + " nor excludes one; "
                    + (decisive.figure().kind().isLimit() ? "searches with a smaller --width" : "more trials")
                    + " make the interval narrower.";
        };
    }

    private static boolean isAllDoubtful(Comparison comparison) {
        return Stream.of(comparison.first(), comparison.second()).flatMap(side -> side.fit().stream()).allMatch(MeasuredTrial::isDoubtful);
    }

    /** Returns why sides cannot be judged that were measured one after the other, as a sentence without its end. */
    static String blocked(Comparison comparison) {
        return "one was measured after the other (" + comparison.order().text()
            + "), so that a drift of the machine would look like a difference, or hide one";
    }

    private static String missing(Comparison comparison) {
        List<String> parts = new ArrayList<>();
        for (Side side : List.of(comparison.first(), comparison.second())) {
            if (side.fit().isEmpty()) {
                parts.add("no trial of " + side.letter() + " counts (" + side.leftOut() + ")");
            }
        }
        return parts.isEmpty() ? "they have no " + comparison.headline().heading() + " in common" : String.join(", and ", parts);
    }

    private static String counts(FigureComparison figure, Comparison comparison) {
        if (isMissing(figure, comparison)) {
            return figure.firstCount() + " of " + Counted.of(comparison.first().fit().size(), "trial") + " of "
                + comparison.first().letter() + " and " + figure.secondCount() + " of "
                + Counted.of(comparison.second().fit().size(), "trial") + " of " + comparison.second().letter() + " have "
                + figure.figure().heading();
        }
        return Counted.of(figure.firstCount(), "trial") + " of " + comparison.first().letter() + " and "
            + Counted.of(figure.secondCount(), "trial") + " of "
            + comparison.second().letter() + (figure.firstCount() + figure.secondCount() == 2 ? " were measured" : " count");
    }

    /** Returns whether a valid trial lacks the figure, for example a percentile with too few samples. */
    private static boolean isMissing(FigureComparison figure, Comparison comparison) {
        return figure.firstCount() < comparison.first().fit().size() || figure.secondCount() < comparison.second().fit().size();
    }

    /** Returns the number of trials in which a figure is 0, for each side that has such trials. */
    public static String zeros(FigureComparison figure, Comparison comparison) {
        List<String> parts = new ArrayList<>();
        if (figure.firstZeros() > 0) {
            parts.add(figure.firstZeros() + " of " + Counted.of(figure.firstCount(), "trial") + " of " + comparison.first().letter());
        }
        if (figure.secondZeros() > 0) {
            parts.add(figure.secondZeros() + " of " + Counted.of(figure.secondCount(), "trial") + " of " + comparison.second().letter());
        }
        return figure.figure().heading() + " is 0 in " + String.join(" and ", parts);
    }

    /** Returns the numbers of trials: {@code 10 pairs}, {@code 8 each}, {@code 8 and 10}. */
    public static String trials(FigureComparison figure) {
        return figure.paired() ? figure.count() + " pairs" : figure.firstCount() == figure.secondCount() ? figure.firstCount() + " each"
            : figure.firstCount() + " and " + figure.secondCount();
    }

    /** Returns the meaning of a claimed difference for a user: {@code is slower}, {@code costs less}. */
    static String judged(FigureComparison figure) {
        RatioVerdict verdict = figure.verdict();
        return switch (figure.figure().kind()) {
            case RATE, BYTE_RATE, TIME -> figure.figure().kind().isBetter(verdict) ? "is faster" : "is slower";
            case LIMIT, NUMBER -> "has a " + (verdict == RatioVerdict.LESS ? "lower" : "higher") + " limit";
            case COST -> verdict == RatioVerdict.LESS ? "costs less" : "costs more";
            case SHARE, BYTES, COUNT -> verdict == RatioVerdict.LESS ? "takes less" : "takes more";
        };
    }

    /** Returns the verdict cell of a figure in the table. */
    public static String word(Comparison comparison, FigureComparison figure) {
        if (figure.ratio() == null && !figure.isSameNothing()) {
            return figure.lacksRatio() ? "no ratio" : "too few";
        }
        if (!comparison.isComparable()) {
            return "";
        }
        return switch (figure.verdict()) {
            case LESS, MORE -> judged(figure).replaceAll("is |has a | limit", "");
            case SAME -> "same";
            case UNDECIDED -> "unclear";
        };
    }

    /** Returns the size of a difference: {@code 4.8 % less}. */
    static String difference(FigureComparison figure) {
        double ratio = figure.observed();
        boolean isEqual = percent(Math.abs(ratio - 1)).equals("0 %") && !figure.verdict().isDifference();
        return isEqual ? "equal" : difference(ratio, figure.figure().kind());
    }

    /**
     * Returns the size of a difference: {@code 4.8 % less}, {@code 8,700 times shorter}. Large differences are factors, since a percentage
     * of 99 and more does not show whether something became a hundred or ten thousand times less.
     *
     * @param ratio ratio of the new value to the old one; infinite where the old one is 0
     */
    public static String difference(double ratio, ComparedFigure.Kind kind) {
        if (Double.isInfinite(ratio)) {
            return kind.more();
        }
        double times = Math.max(ratio, 1 / ratio);
        return (times >= FACTOR && Double.isFinite(times) ? Amounts.number(significant(times).doubleValue()) + " times"
            : percent(Math.abs(ratio - 1), 0)) + " " + (ratio < 1 ? kind.less() : kind.more());
    }

    /**
     * Formats a ratio with three decimals, {@code 0.950}, or below 0.1 with three significant digits, {@code 0.000115}, which must not read
     * as 0; {@code n/a} for a ratio that is not finite. A ratio that three decimals would show as 1 has as many, up to six, as show on
     * which side of 1 it is, since that decides whether an interval excludes 1.
     */
    public static String ratio(double ratio) {
        if (!Double.isFinite(ratio)) {
            return "n/a";
        }
        if (ratio > 0 && ratio < SMALL) {
            return significant(ratio).toPlainString();
        }
        return apart(ratio, 1, 3);
    }

    /** Formats a value with as many decimals, up to six, as distinguish it from a limit; with the fewest if none do. */
    private static String apart(double value, double limit, int fewest) {
        for (int digits = fewest; digits <= 6; digits++) {
            String text = decimals(value, digits);
            if (!text.equals(decimals(limit, digits))) {
                return text;
            }
        }
        return decimals(value, fewest);
    }

    private static String decimals(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private static BigDecimal significant(double value) {
        return BigDecimal.valueOf(value).round(new MathContext(3));
    }

    /** Formats a share that a user requested, with all of its digits: {@code 3 %}, {@code 0.25 %}. */
    static String asked(double share) {
        return BigDecimal.valueOf(share).round(new MathContext(9)).movePointRight(2).stripTrailingZeros().toPlainString() + " %";
    }

    static String interval(ConfidenceInterval ratio) {
        return percent(ratio.confidence()) + " interval " + ratio(ratio.low()) + " to " + ratio(ratio.high());
    }

    /** Formats a share as a percentage with at most one decimal: {@code 3 %}, {@code 4.8 %}. */
    public static String percent(double share) {
        return percentage(decimals(share * 100, 1));
    }

    private static String percentage(String text) {
        return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + " %";
    }

    /**
     * Formats a share as a percentage with as many decimals, up to six, as distinguish it from a limit, so that a share above the limit
     * does not read as one that keeps it.
     */
    public static String percent(double share, double limit) {
        return percentage(apart(share * 100, limit * 100, 1));
    }

    static String conditions(List<Confounder> all, Comparison comparison) {
        return all.stream().map(one -> one.text(comparison.first().letter(), comparison.second().letter()))
            .collect(Collectors.joining("; "));
    }

    /** Returns the notes that a reader needs beside the figures, one sentence each. */
    public static List<String> notes(Comparison comparison) {
        List<String> notes = new ArrayList<>();
        TrialOrder order = comparison.order();
        if (comparison.isBlocked()) {
            notes.add("To tell, measure in turn: brokermeter ab --a KEY=VALUE --b KEY=VALUE FILE. With --despite " + TrialOrder.NAME
                + " they are judged as if nothing had drifted.");
        } else if (!comparison.isComparable()) {
            notes.add("Should that difference be what you want to see, add --despite "
                + comparison.apart().stream().map(Confounder::name).distinct().collect(Collectors.joining(",")) + ".");
        }
        if (comparison.isComparable() && !order.text().isEmpty()) {
            notes.add("Measured " + (order.inTurn() ? "" : "in this order: ") + order.text() + ".");
        }
        SerialCorrelation correlation = order.correlation();
        if (correlation != null && correlation.isSignificant()) {
            notes.add("Neighbouring " + (order.inTurn() ? "pairs" : "trials of a side") + " are alike (correlation "
                + decimals(correlation.coefficient(), 2) + "), so that intervals are too narrow.");
        }
        if (!comparison.subjects().isEmpty()) {
            notes.add("What differs: " + conditions(comparison.subjects(), comparison) + ".");
        }
        for (Side side : List.of(comparison.first(), comparison.second())) {
            if (!side.leftOut().isEmpty()) {
                notes.add("Of " + side.letter() + ", " + side.leftOut() + ", which do not count.");
            }
        }
        FigureComparison decisive = comparison.decisive();
        if (decisive != null && decisive.ratio() != null && isMissing(decisive, comparison)) {
            notes.add("Only " + counts(decisive, comparison) + "; the others may differ from these.");
        }
        String missed = Stream.of(comparison.first(), comparison.second()).filter(side -> side.missedRates() > 0)
            .map(side -> side.missedRates() + " of " + Counted.of(side.fit().size(), "trial") + " of " + side.letter())
            .collect(Collectors.joining(" and "));
        if (!missed.isEmpty()) {
            notes.add("The asked rate was missed in " + missed + ".");
        }
        String doubtful =
            Stream.of(comparison.first(), comparison.second()).filter(side -> side.fit().stream().anyMatch(MeasuredTrial::isDoubtful))
                .map(side -> side.fit().stream().filter(MeasuredTrial::isDoubtful).count() + " of " + Counted.of(side.fit().size(), "trial")
                    + " of "
                    + side.letter())
                .collect(Collectors.joining(" and "));
        if (!doubtful.isEmpty()) {
            notes.add("Doubtful, for reasons that their results name: " + doubtful + ".");
        }
        String zeros = comparison.figures().stream()
            .filter(figure -> !figure.figure().equals(comparison.headline()) && figure.lacksRatio())
            .map(figure -> zeros(figure, comparison)).collect(Collectors.joining("; "));
        if (!zeros.isEmpty()) {
            notes.add("What is 0 has no ratio: " + zeros + ".");
        }
        boolean others = comparison.figures().stream().anyMatch(figure -> !figure.figure().equals(comparison.headline())
            && comparison.verdict(figure).isDifference());
        if (others) {
            notes.add("The first figure decides; one of the others may seem to differ by chance.");
        }
        return notes;
    }
}
