package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.LimitDocument.TriedLoad;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.stored.StoredSweep;

/**
 * The page of a sweep that searched for the highest load that meets goals: the answer, its trials in their order, what is believed of the
 * limit, and the times over the load. Figures and words are those of {@code limit.json}.
 */
final class LimitPage {

    private static final String HELD = LimitDocument.HELD;
    private static final String FAILED = "failed";

    private final StoredSweep sweep;
    private final SweepPage trials;
    private final LimitDocument limit;
    private final List<TriedLoad> tried;
    private final boolean ofRate;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    LimitPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.limit = sweep.limit();
        this.tried = limit.trials();
        this.ofRate = "load.rate".equals(limit.quantity());
    }

    /** Returns whether a sweep has an answer of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return sweep.limit().isAnswer();
    }

    String text() {
        WindowDocument.Estimate at = limit.limit();
        boolean found = at != null;
        List<String> reasons = new ArrayList<>(sweep.notes());
        if (limit.ended() != null) {
            reasons.add(limit.ended());
        }
        Page page = new Page("search", "What the broker takes", trials.subtitle(),
            new Conclusion(limit.isFound() ? Verdict.ANSWERED : Verdict.OPEN, String.valueOf(limit.sentence()), reasons));
        page.tile(new Tile("tile-limit", "Limit", at != null ? load(at.estimate()) : Amounts.UNKNOWN,
            at != null ? load(at.low()) + " to " + load(at.high()) + " (98 %)" : "", Tile.Mark.NONE));
        page.tile(new Tile("tile-spread", "From trial to trial",
            found ? Amounts.percent(100 * limit.spread()) : Amounts.UNKNOWN, "by which the limit differs", Tile.Mark.NONE));
        page.tile(new Tile("tile-trials", "Trials", String.valueOf(tried.size()),
            count(one -> one.equals(HELD)) + " clean, " + count(one -> one.equals("not-valid")) + " not valid", Tile.Mark.NONE));
        page.section("search", "The search");
        page.add(new Markup().element("p", "A load is clean when: " + String.join(", ", limit.goals()) + ".", "id", "goals"));
        page.add(new Markup().open("div", "class", "pair"));
        page.chart(course());
        page.chart(belief());
        page.add(new Markup().close("div"));
        page.add(table("search-trials", tried).markup()).end();
        page.section("times", "Times over the load");
        page.chart(times());
        List<TriedLoad> below = limit.curve();
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
        return tried.stream().filter(one -> outcome.test(one.outcome())).count();
    }

    /** Returns the loads in the order in which they were tried. */
    private Chart course() {
        double[] numbers = IntStream.rangeClosed(1, tried.size()).asDoubleStream().toArray();
        List<Series> lines = new ArrayList<>();
        lines.add(series("clean", 0, HELD));
        lines.add(series("not clean", 1, FAILED));
        lines.add(series("not valid", 2, "not-valid").as(Series.Form.MARKS));
        WindowDocument.Estimate found = limit.limit();
        lines.add(level("lower end", found == null ? Double.NaN : found.low()));
        lines.add(level("upper end", found == null ? Double.NaN : found.high()));
        return chart("course", "Loads in the order of trials", "Each load depends on the outcomes before it.", numbers,
            IntStream.rangeClosed(1, tried.size()).mapToObj(String::valueOf).toList(), "trial", ofRate ? Unit.PER_SECOND : Unit.COUNT,
            lines);
    }

    private Series level(String label, double load) {
        double[] all = new double[tried.size()];
        Arrays.fill(all, load);
        return Series.line(label, 4, all);
    }

    private Series series(String label, int style, String outcome) {
        return Series.line(label, style,
            tried.stream().mapToDouble(one -> outcome.equals(one.outcome()) ? one.load() : Double.NaN).toArray())
            .as(Series.Form.POINTS);
    }

    /** Returns the probability that the limit is higher than a load. */
    private Chart belief() {
        List<LimitDocument.Belief> points = limit.posterior();
        double[] loads = points.stream().mapToDouble(LimitDocument.Belief::load).toArray();
        return chart("belief", "Probability that the limit is higher", "From 99 to 1 % lies the interval.",
            Arrays.stream(loads).map(Math::log10).toArray(), Arrays.stream(loads).mapToObj(this::load).toList(), "load", Unit.PERCENT,
            List.of(Series.line("limit is higher", 0, points.stream().mapToDouble(one -> 100 * one.higher()).toArray()),
                Series.line("interval and limit", 1, ends(points)).as(Series.Form.POINTS)))
            .with(its -> its.logarithmic = false);
    }

    /** Returns the probabilities at the ends of the interval and at the limit, and NaN elsewhere. */
    private double[] ends(List<LimitDocument.Belief> points) {
        double[] values = new double[points.size()];
        Arrays.fill(values, Double.NaN);
        WindowDocument.Estimate found = limit.limit();
        if (found != null) {
            for (double load : new double[] {found.low(), found.estimate(), found.high()}) {
                IntStream.range(0, values.length).boxed().min(Comparator.comparingDouble(i -> Math.abs(points.get(i).load() - load)))
                    .ifPresent(i -> values[i] = 100 * points.get(i).higher());
            }
        }
        return values;
    }

    /** Returns the times of all valid trials over the load. */
    private Chart times() {
        List<TriedLoad> all =
            Stream.concat(tried.stream(), limit.curve().stream()).filter(one -> !one.outcome().equals("not-valid")).toList();
        double[] loads = new TreeSet<>(all.stream().map(TriedLoad::load).filter(one -> one > 0).toList()).stream()
            .mapToDouble(Double::doubleValue).toArray();
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (String part : List.of("p50", "p99", "p99.9")) {
            double[] values = new double[loads.length];
            Arrays.fill(values, Double.NaN);
            // Of several trials at one load, the worst.
            all.forEach(one -> {
                int at = Arrays.binarySearch(loads, one.load());
                double value = one.percentile(part);
                values[at < 0 ? 0 : at] = at < 0 || Double.isNaN(value) ? values[Math.max(0, at)]
                    : Double.isNaN(values[at]) ? value : Math.max(values[at], value);
            });
            lines.add(Series.line(part, style++, values).as(Series.Form.DOTS));
        }
        String time = all.isEmpty() ? "response" : all.getFirst().time();
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

    private Table table(String id, List<TriedLoad> trials) {
        String flow = trials.stream().anyMatch(one -> one.time().equals("send")) ? "sent" : "received";
        Table table = new Table(id, "trial", "load", flow, "p50", "p99", "p99.9", "clean");
        for (TriedLoad one : trials) {
            String outcome = one.outcome();
            table.row(Amounts.count(one.number()), load(one.load()), Amounts.rate(one.receivedPerSecond()),
                Amounts.time(one.percentile("p50")), Amounts.time(one.percentile("p99")), Amounts.time(one.percentile("p99.9")),
                outcome.equals(HELD) ? "yes" : outcome.equals(FAILED) ? "no: " + String.join(", ", one.missed()) : "not valid");
        }
        return table;
    }
}
