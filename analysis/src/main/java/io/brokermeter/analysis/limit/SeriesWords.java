package io.brokermeter.analysis.limit;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitSeries.At;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.ScalingFit;
import io.brokermeter.reports.table.TextTable;
import org.jspecify.annotations.Nullable;

/** The words of the limits at several values. */
public final class SeriesWords {

    private SeriesWords() {}

    /** Returns a value with what it counts: {@code 8 producers}. */
    static String value(LimitSeries series, double value) {
        String words = series.along().words();
        return LimitWords.number(value) + " " + (value == 1 && words.endsWith("s") ? words.substring(0, words.length() - 1) : words);
    }

    /** Returns the answer in a few sentences: how the limit depends on the value, and where adding stops paying and begins to hurt. */
    public static String sentence(LimitSeries series) {
        List<At> known = series.limits().stream().filter(at -> at.limit() != null).toList();
        if (known.isEmpty()) {
            return "No limit was found at any of the values.";
        }
        StringBuilder text = new StringBuilder();
        At first = known.getFirst();
        At last = known.getLast();
        At most = known.stream().max(Comparator.comparingDouble(SeriesWords::estimate)).orElse(last);
        text.append("Clean up to ").append(rate(first)).append(" with ").append(value(series, first.value()));
        if (known.size() > 1) {
            text.append(", and to ").append(rate(last)).append(" with ").append(value(series, last.value()));
        }
        text.append(most.equals(last) || most.equals(first) ? "."
            : "; the highest is " + rate(most) + " with " + value(series, most.value()) + ".");
        ScalingFit fit = series.fit();
        if (fit != null) {
            text.append(' ').append(pays(series, fit, last.value())).append(' ').append(hurts(series, fit, last.value()));
        }
        return text.toString();
    }

    private static double estimate(At at) {
        ConfidenceInterval limit = at.limit();
        return limit == null ? Double.NaN : limit.estimate();
    }

    private static String rate(At at) {
        return LimitWords.number(estimate(at)) + "/s";
    }

    private static String pays(LimitSeries series, ScalingFit fit, double most) {
        ConfidenceInterval pays = fit.pays();
        String little = Math.round(100 * ScalingFit.LITTLE) + " % more";
        if (pays.low() >= most) {
            return "Up to there adding pays: twice as many bring at least " + little + ".";
        }
        return Double.isInfinite(pays.high()) ? "The points do not tell from where on twice as many bring less than " + little + "."
            : "From about " + value(series, pays.estimate()) + " on (" + range(pays)
                + ") adding hardly pays: twice as many bring less than "
                + little + ".";
    }

    private static String hurts(LimitSeries series, ScalingFit fit, double most) {
        ConfidenceInterval hurts = fit.hurts();
        if (!Double.isInfinite(hurts.high())) {
            return "Beyond about " + value(series, hurts.estimate()) + " (" + range(hurts) + ") more of them lower the limit.";
        }
        return (hurts.low() >= most ? "Up to there more of them do not lower the limit, and the" : "The")
            + " points do not tell whether still more of them would.";
    }

    private static String range(ConfidenceInterval interval) {
        return LimitWords.number(interval.low()) + " to " + LimitWords.number(interval.high());
    }

    /** Returns the coefficients of the law, and how well it fits; null where there is none. */
    static @Nullable String law(LimitSeries series) {
        ScalingFit fit = series.fit();
        if (fit == null) {
            return null;
        }
        return "Universal Scalability Law (95 %): " + LimitWords.number(fit.alone().estimate()) + "/s for one alone (" + range(fit.alone())
            + "), contention " + percent(fit.contention()) + ", coherency " + percent(fit.coherency()) + "."
            + (fit.scatter() > 1.5 ? String.format(Locale.ROOT, " The limits are %.1f times farther from it than their intervals say.",
                fit.scatter()) : "");
    }

    private static String percent(ConfidenceInterval share) {
        return number(share.estimate()) + " % (" + number(share.low()) + " to " + number(share.high()) + ")";
    }

    private static String number(double share) {
        return share == 0 ? "0" : LimitWords.number(100 * share);
    }

    /** Returns the answer on one screen: the sentences, the coefficients, and the limit at each value. */
    public static String text(LimitSeries series) {
        StringBuilder text = new StringBuilder(sentence(series)).append('\n');
        String law = law(series);
        if (law != null) {
            text.append(law).append('\n');
        }
        if (!series.limits().isEmpty()) {
            text.append("\nA load is clean when: ").append(String.join(", ", series.limits().getFirst().answer().goals())).append(".\n\n");
            table(series).markdown(text);
        }
        return text.toString();
    }

    private static TextTable table(LimitSeries series) {
        TextTable table = new TextTable();
        List<At> all = series.limits();
        table.add(series.along().words(), false, TextTable.ALWAYS, all.stream().map(at -> LimitWords.number(at.value())).toList());
        table.add("limit", false, TextTable.ALWAYS, all.stream().map(at -> at.limit() == null ? "n/a" : rate(at)).toList());
        table.add("98 %", false, TextTable.ALWAYS, all.stream().map(SeriesWords::interval).toList());
        ScalingFit fit = series.fit();
        if (fit != null) {
            table.add("by the law", false, TextTable.ALWAYS, all.stream().map(at -> LimitWords.number(fit.at(at.value())) + "/s").toList());
        }
        table.add("trials", false, TextTable.ALWAYS, all.stream().map(at -> String.valueOf(at.answer().trials().size())).toList());
        table.add("missed first above it", true, TextTable.ALWAYS, all.stream().map(SeriesWords::missed).toList());
        return table;
    }

    private static String interval(At at) {
        ConfidenceInterval limit = at.limit();
        return limit == null ? "" : range(limit);
    }

    private static String missed(At at) {
        if (at.limit() == null) {
            return LimitWords.sentence(at.answer());
        }
        return at.answer().missedFirst().stream().findFirst().map(Map.Entry::getKey).orElse("");
    }
}
