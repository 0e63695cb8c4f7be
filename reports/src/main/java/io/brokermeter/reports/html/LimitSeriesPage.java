package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.html.Chart.Unit;
import io.brokermeter.reports.stored.StoredSweep;
import org.jspecify.annotations.Nullable;

/** The page of searches at several values of a number: the limit over the value, with what the law of scalability says. */
final class LimitSeriesPage {

    private final StoredSweep sweep;
    private final SweepPage trials;
    private final Map<String, @Nullable Object> answer;
    private final List<Map<String, @Nullable Object>> limits;
    private final String words;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    LimitSeriesPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.answer = sweep.answer(StoredSweep.LIMIT);
        this.limits = JsonText.maps(answer.get("limits"));
        this.words = String.valueOf(answer.get("words"));
    }

    /** Returns whether a sweep has an answer of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return !JsonText.maps(sweep.answer(StoredSweep.LIMIT).get("limits")).isEmpty();
    }

    String text() {
        List<Map<String, @Nullable Object>> known = limits.stream().filter(one -> estimate(one) > 0).toList();
        List<String> reasons = new ArrayList<>(sweep.notes());
        if (answer.get("law") instanceof String law) {
            reasons.add(law);
        }
        Page page = new Page("search", "What the broker takes", trials.subtitle(),
            new Conclusion(known.size() == limits.size() ? Conclusion.Verdict.ANSWERED : Conclusion.Verdict.OPEN,
                String.valueOf(answer.get("sentence")), reasons));
        known.stream().max(Comparator.comparingDouble(LimitSeriesPage::estimate)).ifPresent(most -> page.tile(new Tile("tile-limit",
            "Highest limit", Amounts.rate(estimate(most)), "at " + Amounts.count(LimitPage.number(most, "value")) + " " + words,
            Tile.Mark.NONE)));
        coefficient(page, "contention", "of the work waits for each other");
        coefficient(page, "coherency", "for each pair of them");
        page.tile(new Tile("tile-trials", "Trials", String.valueOf(sweep.trials().size()), "", Tile.Mark.NONE));
        page.data("edges", List.of());
        page.data("marks", List.of());
        page.data("bands", List.of());
        page.section("search", "The limit over the number of " + words);
        page.add(new Markup().element("p", "A load is clean when: " + String.join(", ", LimitPage.texts(limits.getFirst(), "goals")) + ".",
            "id", "goals"));
        page.chart(limits());
        page.add(table().markup()).end();
        page.section("trials", "Trials").add(trials.trialList(sweep.trials(), 1)).end();
        return page.text();
    }

    private void coefficient(Page page, String name, String meaning) {
        double share = LimitPage.number(answer, "scaling", name, "estimate");
        if (Double.isFinite(share)) {
            page.tile(new Tile("tile-" + name, name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
                Amounts.percent(100 * share), Amounts.percent(100 * LimitPage.number(answer, "scaling", name, "low")) + " to "
                    + Amounts.percent(100 * LimitPage.number(answer, "scaling", name, "high")) + ", " + meaning,
                Tile.Mark.NONE));
        }
    }

    private static double estimate(Map<String, @Nullable Object> one) {
        return LimitPage.number(one, "limit", "estimate");
    }

    private Chart limits() {
        double[] values = values(one -> LimitPage.number(one, "value"));
        Series limit = new Series("limit", 0, values(LimitSeriesPage::estimate), values(one -> LimitPage.number(one, "limit", "low")),
            values(one -> LimitPage.number(one, "limit", "high")), Series.Form.POINTS);
        Series law = Series.line("Universal Scalability Law", 1, values(one -> LimitPage.number(one, "byTheLaw")));
        return LimitPage.chart("limits", "Limit over the number of " + words, "Both axes are logarithmic; whiskers are intervals of 98 %.",
            Arrays.stream(values).map(Math::log10).toArray(), Arrays.stream(values).mapToObj(Amounts::count).toList(), words,
            Unit.PER_SECOND, law.isEmpty() ? List.of(limit) : List.of(limit, law));
    }

    private double[] values(ToDoubleFunction<Map<String, @Nullable Object>> of) {
        return limits.stream().mapToDouble(of).toArray();
    }

    private Table table() {
        Table table = new Table("limits-table", words, "limit", "98 %", "by the law", "trials", "missed first above it");
        for (Map<String, @Nullable Object> one : limits) {
            double low = LimitPage.number(one, "limit", "low");
            table.row(Amounts.count(LimitPage.number(one, "value")), Amounts.rate(estimate(one)),
                Double.isNaN(low) ? Amounts.UNKNOWN : Amounts.rate(low) + " to " + Amounts.rate(LimitPage.number(one, "limit", "high")),
                Amounts.rate(LimitPage.number(one, "byTheLaw")), String.valueOf(JsonText.maps(one.get("trials")).size()),
                Double.isNaN(low) ? String.valueOf(one.get("sentence"))
                    : JsonText.map(one.get("missedFirst")).keySet().stream().findFirst().orElse(""));
        }
        return table;
    }
}
