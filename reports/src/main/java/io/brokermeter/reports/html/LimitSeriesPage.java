package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.LimitDocument.LimitAt;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.stored.StoredSweep;

/** The page of searches at several values of a number: the limit over the value, with what the law of scalability says. */
final class LimitSeriesPage {

    private final StoredSweep sweep;
    private final SweepPage trials;
    private final LimitDocument.Series answer;
    private final List<LimitAt> limits;
    private final String words;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    LimitSeriesPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.answer = sweep.limits();
        this.limits = answer.limits();
        this.words = answer.words();
    }

    /** Returns whether a sweep has an answer of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return !sweep.limits().limits().isEmpty();
    }

    String text() {
        List<LimitAt> known = limits.stream().filter(one -> estimate(one) > 0).toList();
        List<String> reasons = new ArrayList<>(sweep.notes());
        if (answer.law() != null) {
            reasons.add(answer.law());
        }
        Page page = new Page("search", "What the broker takes", trials.subtitle(),
            new Conclusion(limits.stream().allMatch(one -> one.answer().isFound()) ? Verdict.ANSWERED : Verdict.OPEN,
                String.valueOf(answer.sentence()), reasons));
        known.stream().max(Comparator.comparingDouble(LimitSeriesPage::estimate)).ifPresent(most -> page.tile(new Tile("tile-limit",
            "Highest limit", Amounts.rate(estimate(most)), "at " + Amounts.count(most.value()) + " " + words,
            Tile.Mark.NONE)));
        LimitDocument.Scaling scaling = answer.scaling();
        if (scaling != null) {
            coefficient(page, "contention", scaling.contention(), "of the work waits for each other");
            coefficient(page, "coherency", scaling.coherency(), "for each pair of them");
        }
        page.tile(new Tile("tile-trials", "Trials", String.valueOf(sweep.trials().size()), "", Tile.Mark.NONE));
        page.section("search", "The limit over the number of " + words);
        page.add(new Markup().element("p", "A load is clean when: " + String.join(", ", limits.getFirst().answer().goals()) + ".",
            "id", "goals"));
        page.chart(limits());
        page.add(table().markup()).end();
        page.section("trials", "Trials").add(trials.trialList(sweep.trials(), 1)).end();
        return page.text();
    }

    private static void coefficient(Page page, String name, WindowDocument.Estimate is, String meaning) {
        double share = is.estimate();
        if (Double.isFinite(share)) {
            page.tile(new Tile("tile-" + name, name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
                Amounts.percent(100 * share), Amounts.percent(100 * is.low()) + " to "
                    + Amounts.percent(100 * is.high()) + ", " + meaning,
                Tile.Mark.NONE));
        }
    }

    private static double estimate(LimitAt one) {
        return of(one, WindowDocument.Estimate::estimate);
    }

    private static double low(LimitAt one) {
        return of(one, WindowDocument.Estimate::low);
    }

    private static double high(LimitAt one) {
        return of(one, WindowDocument.Estimate::high);
    }

    private static double of(LimitAt one, ToDoubleFunction<WindowDocument.Estimate> figure) {
        WindowDocument.Estimate limit = one.answer().limit();
        return limit == null ? Double.NaN : figure.applyAsDouble(limit);
    }

    private Chart limits() {
        double[] values = values(LimitAt::value);
        Series limit = new Series("limit", 0, values(LimitSeriesPage::estimate), values(LimitSeriesPage::low),
            values(LimitSeriesPage::high), Series.Form.POINTS);
        Series law = Series.line("Universal Scalability Law", 1, values(LimitAt::byTheLaw));
        return LimitPage.chart("limits", "Limit over the number of " + words, "Both axes are logarithmic; whiskers are intervals of 98 %.",
            Arrays.stream(values).map(Math::log10).toArray(), Arrays.stream(values).mapToObj(Amounts::count).toList(), words,
            Unit.PER_SECOND, law.isEmpty() ? List.of(limit) : List.of(limit, law));
    }

    private double[] values(ToDoubleFunction<LimitAt> of) {
        return limits.stream().mapToDouble(of).toArray();
    }

    private Table table() {
        Table table = new Table("limits-table", words, "limit", "98 %", "by the law", "trials", "missed first above it");
        for (LimitAt one : limits) {
            double low = low(one);
            table.row(Amounts.count(one.value()), Amounts.rate(estimate(one)),
                Double.isNaN(low) ? Amounts.UNKNOWN : Amounts.rate(low) + " to " + Amounts.rate(high(one)),
                Amounts.rate(one.byTheLaw()), String.valueOf(one.answer().trials().size()),
                Double.isNaN(low) ? String.valueOf(one.answer().sentence())
                    : one.answer().missedFirst().keySet().stream().findFirst().orElse(""));
        }
        return table;
    }
}
