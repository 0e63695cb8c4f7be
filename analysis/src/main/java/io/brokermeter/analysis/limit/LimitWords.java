package io.brokermeter.analysis.limit;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.limit.LimitSearch.End;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.table.TextTable;
import org.jspecify.annotations.Nullable;

/** The words of the answer to a search. */
public final class LimitWords {

    /** The number of different causes that are told of the trials that failed. */
    private static final int CAUSES = 2;
    /** How many times the lower end of an interval its upper end is where the interval says too little to be told. */
    private static final double WIDE = 3;

    private LimitWords() {}

    /** Returns a load with three significant digits and its unit: {@code 41,200/s}, {@code 12 producers}. */
    public static String load(LimitAnswer.Quantity quantity, double load) {
        String number = number(load);
        return quantity.isRate() ? number + "/s" : number + " " + quantity.words();
    }

    /** Returns a number with three significant digits, and groups of thousands. */
    static String number(double value) {
        double unit = Math.pow(10, Math.max(-3, Math.floor(Math.log10(value)) - 2));
        double rounded = Math.rint(value / unit) * unit;
        int decimals = (int) Math.max(0, -Math.round(Math.log10(unit)));
        return String.format(Locale.ROOT, "%,." + (rounded == Math.rint(rounded) ? 0 : decimals) + "f", rounded);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.2g", 100 * share).replaceFirst("e\\+0?1$", "0") + " %";
    }

    /** Returns the interval in words: {@code 98 %: 39,400 to 43,100}. */
    static String interval(ConfidenceInterval limit) {
        return Math.round(100 * limit.confidence()) + " %: " + number(limit.low()) + " to " + number(limit.high());
    }

    /** Returns what is believed while the search goes on: the interval and its width, or the range that the limit is outside of. */
    public static String belief(LimitAnswer answer) {
        ConfidenceInterval limit = answer.limit();
        if (limit != null && limit.high() > WIDE * limit.low()) {
            return "Limit about " + load(answer.quantity(), limit.estimate()) + ", not narrowed down yet.";
        }
        if (limit != null) {
            return "Limit now " + load(answer.quantity(), limit.estimate()) + " (" + interval(limit) + ", "
                + Math.round(100 * (limit.high() / limit.low() - 1)) + " % wide).";
        }
        double most =
            answer.trials().stream().filter(one -> one.outcome() == Outcome.HELD).mapToDouble(Tried::load).max().orElse(Double.NaN);
        double least =
            answer.trials().stream().filter(one -> one.outcome() == Outcome.FAILED).mapToDouble(Tried::load).min().orElse(Double.NaN);
        return !Double.isNaN(most) ? "Limit above " + load(answer.quantity(), most) + " so far."
            : !Double.isNaN(least) ? "Limit below " + load(answer.quantity(), least) + " so far." : "Nothing is known of the limit so far.";
    }

    /** Returns the answer in one sentence. */
    public static String sentence(LimitAnswer answer) {
        ConfidenceInterval limit = answer.limit();
        End end = answer.end();
        if (limit == null || end == End.ABOVE_RANGE || end == End.BELOW_RANGE) {
            return unbounded(answer);
        }
        StringBuilder text = new StringBuilder("Clean up to ").append(load(answer.quantity(), limit.estimate())).append(" (")
            .append(interval(limit)).append("); from one trial to the next the limit differs by ").append(percent(answer.spread()));
        List<Map.Entry<String, Integer>> missed = answer.missedFirst();
        if (!missed.isEmpty()) {
            text.append("; above it '").append(missed.getFirst().getKey()).append("' is missed first (")
                .append(missed.getFirst().getValue())
                .append(" of ").append(Counted.of(answer.failedNear().size(), "trial")).append(" that failed)");
            answer.cause().ifPresent(cause -> text.append(", since ").append(cause));
        }
        return text.append('.').toString();
    }

    private static String unbounded(LimitAnswer answer) {
        Tried greatest = answer.trials().stream().filter(one -> one.outcome() == Outcome.HELD)
            .reduce((one, other) -> one.load() >= other.load() ? one : other).orElse(null);
        Tried smallest = answer.trials().stream().filter(one -> one.outcome() == Outcome.FAILED)
            .reduce((one, other) -> one.load() <= other.load() ? one : other).orElse(null);
        if (answer.end() == End.ABOVE_RANGE && greatest != null) {
            return "Clean at " + load(answer.quantity(), greatest.load())
                + ", the greatest load of the range: the limit is above it; give a greater --to.";
        }
        if (answer.end() == End.BELOW_RANGE && smallest != null) {
            return "Not clean at " + load(answer.quantity(), smallest.load()) + ", the smallest load of the range: " + missed(smallest)
                + measured(smallest) + ".";
        }
        if (greatest != null) {
            return "Clean at " + load(answer.quantity(), greatest.load()) + " and above; no valid trial failed, so the limit is not known.";
        }
        return smallest == null ? "No trial was valid, so nothing is known of the limit."
            : "Not clean at " + load(answer.quantity(), smallest.load()) + " and below (" + missed(smallest) + measured(smallest)
                + "); no trial held, so the limit is not known.";
    }

    private static String missed(Tried tried) {
        return tried.missed().stream().map(one -> "'" + one + "'").collect(Collectors.joining(" and ")) + " missed";
    }

    private static String measured(Tried tried) {
        return Double.isNaN(tried.p99()) ? "" : ", " + tried.time() + " p99 " + Amounts.time(tried.p99()) + " at "
            + Amounts.rate(tried.reached(), tried.flow() + "/s");
    }

    /** Returns why the search ended where that is not because the answer is clear; null where it is. */
    static @Nullable String ended(LimitAnswer answer) {
        int valid = (int) answer.trials().stream().filter(one -> one.outcome() != Outcome.NOT_VALID).count();
        return switch (answer.end()) {
            case CLEAR, ABOVE_RANGE, BELOW_RANGE -> null;
            case TRIALS_USED -> "The " + answer.trials().size() + " trials were used up; the interval is as wide as it is.";
            case NOT_VALID -> "The last two trials were not valid, so the search ended: "
                + (answer.trials().isEmpty() ? "" : String.join(" ", answer.trials().getLast().reasons()));
            case null -> "The search is not over: " + Counted.of(valid, "valid trial") + " so far.";
        };
    }

    /** Returns the answer on one screen: the sentence, what was asked, the trials in order, the times below the limit. */
    public static String text(LimitAnswer answer) {
        StringBuilder text = new StringBuilder(sentence(answer)).append('\n');
        String ended = ended(answer);
        if (ended != null) {
            text.append(ended.strip()).append('\n');
        }
        answer.confirmation().ifPresent(tried -> text.append("A long trial at ").append(load(answer.quantity(), tried.load()))
            .append(tried.outcome() == Outcome.HELD ? " held.\n" : " did not hold: " + missed(tried) + measured(tried) + ".\n"));
        List<String> causes = answer.failedNear().stream().flatMap(one -> one.reasons().stream()).distinct().limit(CAUSES).toList();
        causes.forEach(cause -> text.append("Seen above the limit: ").append(cause).append('\n'));
        text.append("\nA load is clean when: ").append(String.join(", ", answer.goals())).append(".\n\n");
        table(answer, answer.trials(), true).markdown(text);
        if (!answer.curve().isEmpty()) {
            text.append("\nBelow the limit:\n\n");
            table(answer, answer.curve(), false).markdown(text);
        }
        return text.toString();
    }

    private static TextTable table(LimitAnswer answer, List<Tried> trials, boolean outcomes) {
        TextTable table = new TextTable();
        ConfidenceInterval limit = answer.limit();
        table.add("trial", false, TextTable.ALWAYS, trials.stream().map(one -> String.valueOf(one.number())).toList());
        table.add(answer.quantity().isRate() ? "rate" : answer.quantity().words(), false, TextTable.ALWAYS,
            trials.stream().map(one -> number(one.load()) + (answer.quantity().isRate() ? "/s" : "")).toList());
        if (limit != null && !outcomes) {
            table.add("of the limit", false, TextTable.ALWAYS,
                trials.stream().map(one -> Math.round(100 * one.load() / limit.estimate()) + " %").toList());
        }
        table.add(trials.isEmpty() ? "received" : trials.getFirst().flow(), false, TextTable.ALWAYS,
            trials.stream().map(one -> Amounts.rate(one.reached())).toList());
        String time = trials.isEmpty() ? "response" : trials.getFirst().time();
        table.add(time + " p50", false, TextTable.ALWAYS, trials.stream().map(one -> Amounts.time(one.p50())).toList());
        table.add("p99", false, TextTable.ALWAYS, trials.stream().map(one -> Amounts.time(one.p99())).toList());
        table.add("p99.9", false, TextTable.ALWAYS, trials.stream().map(one -> Amounts.time(one.p999())).toList());
        if (outcomes) {
            table.add("clean", true, TextTable.ALWAYS, trials.stream().map(LimitWords::outcome).toList());
        }
        return table;
    }

    private static String outcome(Tried tried) {
        return switch (tried.outcome()) {
            case HELD -> "yes";
            case FAILED -> "no: " + String.join(", ", tried.missed());
            case NOT_VALID -> "not valid";
        };
    }
}
