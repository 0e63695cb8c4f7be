package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.html.Chart.Unit;
import io.brokermeter.reports.stored.StoredSweep;
import org.jspecify.annotations.Nullable;

/**
 * The page of a sweep that searched for the highest load that meets goals: the answer, its trials in their order, what is believed of the
 * limit, and the times over the load. Figures and words are those of {@code limit.json}.
 */
final class LimitPage {

    private static final String HELD = "held";
    private static final String FAILED = "failed";

    private final StoredSweep sweep;
    private final SweepPage trials;
    private final Map<String, @Nullable Object> limit;
    private final List<Map<String, @Nullable Object>> tried;
    private final boolean ofRate;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    LimitPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.limit = sweep.answer(StoredSweep.LIMIT);
        this.tried = JsonText.maps(limit.get("trials"));
        this.ofRate = "load.rate".equals(limit.get("quantity"));
    }

    /** Returns whether a sweep has an answer of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return sweep.answer(StoredSweep.LIMIT).get("sentence") instanceof String;
    }

    String text() {
        boolean found = limit.get("limit") instanceof Map<?, ?>;
        List<String> reasons = new ArrayList<>(sweep.notes());
        if (limit.get("ended") instanceof String ended) {
            reasons.add(ended);
        }
        Page page = new Page("search", "What the broker takes", trials.subtitle(),
            new Conclusion(found ? Conclusion.Verdict.ANSWERED : Conclusion.Verdict.OPEN, String.valueOf(limit.get("sentence")), reasons));
        page.tile(new Tile("tile-limit", "Limit", found ? load(number(limit, "limit", "estimate")) : Amounts.UNKNOWN,
            found ? load(number(limit, "limit", "low")) + " to " + load(number(limit, "limit", "high")) + " (98 %)" : "", Tile.Mark.NONE));
        page.tile(new Tile("tile-spread", "From trial to trial",
            found ? Amounts.percent(100 * number(limit, "spread")) : Amounts.UNKNOWN, "by which the limit differs", Tile.Mark.NONE));
        page.tile(new Tile("tile-trials", "Trials", String.valueOf(tried.size()),
            count(one -> one.equals(HELD)) + " clean, " + count(one -> one.equals("not-valid")) + " not valid", Tile.Mark.NONE));
        page.data("edges", List.of());
        page.data("marks", List.of());
        page.data("bands", List.of());
        page.section("search", "The search");
        page.add(new Markup().element("p", "A load is clean when: " + String.join(", ", texts(limit, "goals")) + ".", "id", "goals"));
        page.add(new Markup().open("div", "class", "pair"));
        page.chart(course());
        page.chart(belief());
        page.add(new Markup().close("div"));
        page.add(table("search-trials", tried).markup()).end();
        page.section("times", "Times over the load");
        page.chart(times());
        List<Map<String, @Nullable Object>> below = JsonText.maps(limit.get("curve"));
        if (!below.isEmpty()) {
            page.add(table("below", below).markup());
        }
        page.end();
        page.section("trials", "Trials").add(trials.trialList(sweep.trials(), 1)).end();
        return page.text();
    }

    private String load(double load) {
        return ofRate ? Amounts.rate(load) : Amounts.count(load);
    }

    private long count(Predicate<String> outcome) {
        return tried.stream().filter(one -> outcome.test(String.valueOf(one.get("outcome")))).count();
    }

    static double number(Map<String, @Nullable Object> of, String... path) {
        return StoredResult.number(of, List.of(path));
    }

    static List<String> texts(Map<String, @Nullable Object> of, String name) {
        return of.get(name) instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
    }

    /** Returns the loads in the order in which they were tried. */
    private Chart course() {
        double[] numbers = IntStream.rangeClosed(1, tried.size()).asDoubleStream().toArray();
        List<Series> lines = new ArrayList<>();
        lines.add(series("clean", 0, HELD));
        lines.add(series("not clean", 1, FAILED));
        lines.add(series("not valid", 2, "not-valid").as(Series.Form.MARKS));
        for (String end : List.of("low", "high")) {
            double[] all = new double[tried.size()];
            Arrays.fill(all, number(limit, "limit", end));
            lines.add(Series.line(end.equals("low") ? "lower end" : "upper end", 4, all));
        }
        return chart("course", "Loads in the order of trials", "Each load depends on the outcomes before it.", numbers,
            IntStream.rangeClosed(1, tried.size()).mapToObj(String::valueOf).toList(), "trial", ofRate ? Unit.PER_SECOND : Unit.COUNT,
            lines);
    }

    private Series series(String label, int style, String outcome) {
        return Series.line(label, style,
            tried.stream().mapToDouble(one -> outcome.equals(one.get("outcome")) ? number(one, "load") : Double.NaN).toArray())
            .as(Series.Form.POINTS);
    }

    /** Returns the probability that the limit is higher than a load. */
    private Chart belief() {
        List<Map<String, @Nullable Object>> points = JsonText.maps(limit.get("posterior"));
        double[] loads = points.stream().mapToDouble(one -> number(one, "load")).toArray();
        return chart("belief", "Probability that the limit is higher", "From 99 to 1 % lies the interval.",
            Arrays.stream(loads).map(Math::log10).toArray(), Arrays.stream(loads).mapToObj(this::load).toList(), "load", Unit.PERCENT,
            List.of(Series.line("limit is higher", 0, points.stream().mapToDouble(one -> 100 * number(one, "higher")).toArray()),
                Series.line("interval and limit", 1, ends(points)).as(Series.Form.POINTS)))
            .but(its -> its.logarithmic = false);
    }

    /** Returns the probabilities at the ends of the interval and at the limit, and NaN elsewhere. */
    private double[] ends(List<Map<String, @Nullable Object>> points) {
        double[] values = new double[points.size()];
        Arrays.fill(values, Double.NaN);
        for (String part : List.of("low", "estimate", "high")) {
            double load = number(limit, "limit", part);
            IntStream.range(0, values.length).boxed()
                .min(Comparator.comparingDouble(i -> Math.abs(number(points.get(i), "load") - load)))
                .ifPresent(i -> values[i] = 100 * number(points.get(i), "higher"));
        }
        return values;
    }

    /** Returns the times of all valid trials over the load. */
    private Chart times() {
        List<Map<String, @Nullable Object>> all = Stream.concat(tried.stream(), JsonText.maps(limit.get("curve")).stream())
            .filter(one -> !"not-valid".equals(one.get("outcome"))).toList();
        double[] loads = new TreeSet<>(all.stream().map(one -> number(one, "load")).filter(one -> one > 0).toList()).stream()
            .mapToDouble(Double::doubleValue).toArray();
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (String part : List.of("p50", "p99", "p99.9")) {
            double[] values = new double[loads.length];
            Arrays.fill(values, Double.NaN);
            // Of several trials at one load, the worst.
            all.forEach(one -> {
                int at = Arrays.binarySearch(loads, number(one, "load"));
                double value = number(one, part);
                values[at < 0 ? 0 : at] = at < 0 || Double.isNaN(value) ? values[Math.max(0, at)]
                    : Double.isNaN(values[at]) ? value : Math.max(values[at], value);
            });
            lines.add(Series.line(part, style++, values).as(Series.Form.DOTS));
        }
        String time = all.isEmpty() ? "response" : String.valueOf(all.getFirst().get("time"));
        return chart("times-over-load", "The " + time + " time over the load", "Both axes are logarithmic; above the knee messages wait.",
            Arrays.stream(loads).map(Math::log10).toArray(), Arrays.stream(loads).mapToObj(this::load).toList(), "load", Unit.MICROS,
            lines);
    }

    static Chart chart(String id, String title, String note, double[] x, List<String> names, String xTitle, Unit unit,
            List<Series> lines) {
        return Chart.of(its -> {
            its.id = id;
            its.title = title;
            its.note = note;
            its.axis = Chart.Axis.VALUES;
            its.xTitle = xTitle;
            its.unit = unit;
            its.logarithmic = true;
            its.height = 300;
            its.x = x;
            its.names = names;
            its.series = lines;
        });
    }

    private Table table(String id, List<Map<String, @Nullable Object>> trials) {
        String flow = trials.stream().anyMatch(one -> "send".equals(one.get("time"))) ? "sent" : "received";
        Table table = new Table(id, "trial", "load", flow, "p50", "p99", "p99.9", "clean");
        for (Map<String, @Nullable Object> one : trials) {
            String outcome = String.valueOf(one.get("outcome"));
            table.row(Amounts.count(number(one, "number")), load(number(one, "load")), Amounts.rate(number(one, "receivedPerSecond")),
                Amounts.time(number(one, "p50")), Amounts.time(number(one, "p99")), Amounts.time(number(one, "p99.9")),
                outcome.equals(HELD) ? "yes" : outcome.equals(FAILED) ? "no: " + String.join(", ", texts(one, "missed")) : "not valid");
        }
        return table;
    }
}
