package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.Interval;
import io.brokermeter.engine.scenario.Counted;

/** A comparison in sentences. */
public final class ComparisonWords {

    private ComparisonWords() {}

    /** What the deciding figure shows, in one sentence. */
    public static String answer(Comparison comparison) {
        String first = comparison.first().letter();
        String second = comparison.second().letter();
        if (!comparison.isComparable()) {
            return first + " and " + second + " cannot be compared: " + conditions(comparison.apart(), comparison) + ".";
        }
        FigureComparison decisive = comparison.decisive();
        if (decisive == null) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + missing(comparison) + ".";
        }
        Interval ratio = decisive.ratio();
        if (ratio == null) {
            return "Cannot tell whether " + second + " differs from " + first + ": " + counts(decisive, comparison) + ", and "
                + HodgesLehmann.FEWEST + " of each are needed.";
        }
        String measured = decisive.figure().heading() + " is " + difference(decisive) + " (ratio " + ratio(ratio.estimate()) + ", "
            + interval(decisive) + ", " + trials(decisive) + ")";
        return switch (decisive.verdict()) {
            case LESS, MORE -> second + " " + judged(decisive) + ": " + measured + ".";
            case SAME -> second + " is the same as " + first + " within " + percent(comparison.least()) + ": " + measured + ".";
            case UNDECIDED ->
                "Cannot tell whether " + second + " differs from " + first + ": " + measured + ", which neither shows a difference of "
                    + percent(comparison.least()) + " nor excludes one; more trials make the interval narrower.";
        };
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
        return Counted.of(figure.firstCount(), "trial") + " of " + comparison.first().letter() + " and "
            + Counted.of(figure.secondCount(), "trial") + " of "
            + comparison.second().letter() + (figure.firstCount() + figure.secondCount() == 2 ? " were measured" : " count");
    }

    /** {@code 10 pairs}, {@code 8 and 10 trials}. */
    public static String trials(FigureComparison figure) {
        return figure.paired() ? figure.count() + " pairs" : figure.firstCount() == figure.secondCount() ? figure.firstCount() + " each"
            : figure.firstCount() + " and " + figure.secondCount();
    }

    /** {@code slower}, {@code costs less}: what a claimed difference means for a user. */
    static String judged(FigureComparison figure) {
        Verdict verdict = figure.verdict();
        return switch (figure.figure().kind()) {
            case RATE, TIME -> figure.figure().kind().isBetter(verdict) ? "is faster" : "is slower";
            case COST -> verdict == Verdict.LESS ? "costs less" : "costs more";
            case SHARE, BYTES, COUNT -> verdict == Verdict.LESS ? "takes less" : "takes more";
        };
    }

    /** What a row of a table says of a figure. */
    public static String word(Comparison comparison, FigureComparison figure) {
        if (figure.ratio() == null) {
            return "too few";
        }
        if (!comparison.isComparable()) {
            return "";
        }
        return switch (figure.verdict()) {
            case LESS, MORE -> judged(figure).replace("is ", "");
            case SAME -> "same";
            case UNDECIDED -> "unclear";
        };
    }

    /** {@code 4.8 % less}. */
    static String difference(FigureComparison figure) {
        double ratio = figure.observed();
        String percent = percent(Math.abs(ratio - 1));
        return percent.equals("0 %") ? "equal"
            : percent + " " + (ratio < 1 ? figure.figure().kind().less() : figure.figure().kind().more());
    }

    static String ratio(double ratio) {
        return String.format(Locale.ROOT, "%.3f", ratio);
    }

    private static String interval(FigureComparison figure) {
        Interval ratio = figure.ratio();
        return ratio == null ? "" : percent(ratio.confidence()) + " interval " + ratio(ratio.low()) + " to " + ratio(ratio.high());
    }

    /** {@code 3 %}, {@code 4.8 %}. */
    public static String percent(double share) {
        String text = String.format(Locale.ROOT, "%.1f", share * 100);
        return (text.endsWith(".0") ? text.substring(0, text.length() - 2) : text) + " %";
    }

    /** The same with as many digits as distinguish it from a limit, so that what is above it does not read like what is not. */
    public static String percent(double share, double limit) {
        int digits = 1;
        String text = percent(share);
        String limits = percent(limit);
        while (share != limit && text.equals(limits) && digits < 6) {
            String form = "%." + ++digits + "f %%";
            text = String.format(Locale.ROOT, form, share * 100);
            limits = String.format(Locale.ROOT, form, limit * 100);
        }
        return text;
    }

    static String conditions(List<Condition> all, Comparison comparison) {
        return all.stream().map(one -> one.text(comparison.first().letter(), comparison.second().letter()))
            .collect(Collectors.joining("; "));
    }

    /** What a reader must know beside the figures, one sentence each. */
    public static List<String> notes(Comparison comparison) {
        List<String> notes = new ArrayList<>();
        if (!comparison.isComparable()) {
            notes.add("Should that difference be what you want to see, add --despite "
                + comparison.apart().stream().map(Condition::name).distinct().collect(Collectors.joining(",")) + ".");
        }
        if (!comparison.subjects().isEmpty()) {
            notes.add("What differs: " + conditions(comparison.subjects(), comparison) + ".");
        }
        for (Side side : List.of(comparison.first(), comparison.second())) {
            if (!side.leftOut().isEmpty()) {
                notes.add("Of " + side.letter() + ", " + side.leftOut() + ", which do not count.");
            }
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
            notes.add("Doubtful, since generator or machine may have been the limit: " + doubtful + ".");
        }
        boolean others = comparison.figures().stream().anyMatch(figure -> !figure.figure().equals(comparison.headline())
            && comparison.verdict(figure).isDifference());
        if (others) {
            notes.add("The first figure decides; one of the others may seem to differ by chance.");
        }
        return notes;
    }
}
