package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.document.WindowDocument.PointOfChange;
import io.brokermeter.reports.document.WindowDocument.RateAtDistance;
import io.brokermeter.reports.document.WindowDocument.SideAnswer;
import io.brokermeter.reports.document.WindowDocument.TriedChange;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.stored.StoredSweep;
import org.jspecify.annotations.Nullable;

/**
 * The page of a sweep that found what limits over distance: for each side the answer, its rates over round trips with the curve that
 * explains them, the amount under way beside the window that was found, and all of it as a table. Figures and words are those of
 * {@code window.json}.
 */
final class WindowPage {

    /** The style of the first change; changes have colours of their own. */
    private static final int FIRST_CHANGE = 5;
    private static final int UNCHANGED = 4;

    /** The share of a rate over the shortest distance below which a fall over the longest needs an explanation. */
    private static final double FALLS = 0.5;

    private final StoredSweep sweep;
    private final SweepPage trials;
    private final WindowDocument window;
    private final List<SideAnswer> answers;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    WindowPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.window = sweep.window();
        this.answers = window.answers();
    }

    /** Returns whether no window explains how a rate falls; earlier versions wrote that nothing limits it. */
    private static boolean isUnexplained(SideAnswer answer) {
        return answer.unexplained() || "nothing".equals(answer.limit()) && answer.leastShareOfRate() < FALLS;
    }

    /** Returns whether a sweep has answers of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return !sweep.window().answers().isEmpty();
    }

    String text() {
        Page page = new Page("window", name(), trials.subtitle(), conclusion());
        answers.forEach(answer -> tiles(page, answer));
        answers.forEach(answer -> side(page, answer));
        page.section("trials", "Trials").add(trials.trialList(sweep.trials(), 1)).end();
        return page.text();
    }

    private String name() {
        SideAnswer first = answers.getFirst();
        return "What limits over distance: " + first.protocol() + (first.broker() == null ? "" : " with " + first.broker());
    }

    private static boolean isTold(SideAnswer answer) {
        return answer.limit() != null && !isUnexplained(answer);
    }

    private Conclusion conclusion() {
        List<String> parts = new ArrayList<>();
        for (SideAnswer answer : answers) {
            String who = "the " + answer.side();
            parts.add(answer.contradictory() ? "the measured curves of " + who + " contradict each other"
                : isUnexplained(answer) ? "no window explains how the rate of " + who + " falls over distance"
                    : !isTold(answer) ? "too few rates tell what limits " + who
                        : "nothing".equals(answer.limit()) ? "no window limits " + who
                            : who + " has at most " + found(answer) + " under way");
        }
        List<String> reasons = new ArrayList<>(sweep.notes());
        switch (window.way()) {
            case "proxy" -> reasons
                .add("A TCP proxy made the distances, so of what limits sockets over them the windows of receivers show at most.");
            case "link" -> reasons.add("A link of two devices made the distances, so the windows of sockets are the real ones.");
            case null, default -> {
                // a protocol that makes distances of its own
            }
        }
        return new Conclusion(answers.stream().allMatch(WindowPage::isTold) ? Verdict.ANSWERED : Verdict.OPEN,
            Sentences.list(parts) + ".", reasons);
    }

    /** Describes the window that was found, in the words of the answer if it has any. */
    private static String found(SideAnswer answer) {
        if (answer.limitWords() != null) {
            return answer.limitWords();
        }
        List<String> parts = new ArrayList<>();
        double messages = estimate(answer.windowMessages());
        double bytes = estimate(answer.windowBytes());
        // A window may be less than one message.
        if (Double.isFinite(messages)) {
            parts.add(Amounts.number(messages) + " messages");
        }
        if (Double.isFinite(bytes)) {
            parts.add(Amounts.number(bytes) + " bytes");
        }
        return String.join(" or ", parts);
    }

    private static double estimate(WindowDocument.@Nullable Estimate window) {
        return window == null ? Double.NaN : window.estimate();
    }

    private void tiles(Page page, SideAnswer answer) {
        String side = answer.side();
        boolean limited = isTold(answer) && !"nothing".equals(answer.limit());
        page.tile(new Tile("tile-" + side, "Far " + side + ", under way",
            !isTold(answer) ? Amounts.UNKNOWN : limited ? "at most " + found(answer) : "no window",
            isTold(answer) && answer.rangeWords() != null ? answer.rangeWords() : "", Tile.Mark.NONE));
        TriedChange governing = answer.governedBy();
        if (governing != null) {
            page.tile(new Tile("tile-" + side + "-setting", "Setting of the " + side, setting(governing),
                governing.place() + "; " + gain(governing) + " the rate over " + distance(answer.changesAt().roundTripSeconds()),
                Tile.Mark.NONE));
        }
    }

    private static String setting(TriedChange tried) {
        double before = tried.before();
        String after = tried.after();
        if (!after.matches("[0-9]{1,15}")) {
            return tried.setting() + " = " + after;
        }
        String to = Amounts.count(Double.parseDouble(after));
        return tried.setting() + (Double.isFinite(before) ? " " + Amounts.count(before) + " → " : " = ") + to;
    }

    private static String gain(TriedChange tried) {
        double gain = tried.gain();
        return Double.isFinite(gain) ? String.format(Locale.ROOT, "%.2f times", gain)
            : Double.isFinite(tried.perSecond()) ? Amounts.UNKNOWN : "failed";
    }

    private static String distance(double roundTripSeconds) {
        return Amounts.seconds(roundTripSeconds);
    }

    // ---- one side ----

    private void side(Page page, SideAnswer answer) {
        String side = answer.side();
        page.section("side-" + side, "A " + side + " far away")
            .add(new Markup().element("p", answer.sentence(), "id", "sentence-" + side));
        double[] places = places(answer);
        if (places.length > 0) {
            page.add(new Markup().open("div", "class", "pair"));
            page.chart(chart("rate-" + side,
                side.equals("producer") ? "Sent a second over the round trip" : "Received a second over the round trip",
                "Both axes are logarithmic. Points: measured; lines: what explains them; hollow: with a change.", Unit.PER_SECOND, places,
                rates(answer, places)));
            double messages = estimate(answer.windowMessages());
            if (Double.isFinite(messages)) {
                page.chart(chart("messages-" + side, "Messages under way", "The line is the window that was found.", Unit.COUNT, places,
                    underWay(answer, places, RateAtDistance::messagesUnderWay, messages,
                        "messages".equals(answer.limit()) ? found(answer) : Amounts.number(messages) + " messages")));
            }
            double bytes = estimate(answer.windowBytes());
            if (Double.isFinite(bytes)) {
                double overhead = answer.overheadBytes();
                page.chart(chart("bytes-" + side, "Bytes under way",
                    "The line is the window that was found." + (overhead >= 10
                        ? " Each message takes " + Amounts.count(overhead) + " bytes of it beside its body." : ""),
                    Unit.BYTES, places, underWay(answer, places, RateAtDistance::windowBytesUsed, bytes, Amounts.bytes(bytes))));
            }
            page.add(new Markup().close("div"));
        }
        page.add(new Markup().element("h3", "Rates")).add(table(answer).markup()).end();
    }

    /** Returns the round trips with data, in seconds. */
    private static double[] places(SideAnswer answer) {
        TreeSet<Double> all = new TreeSet<>();
        answer.rates().forEach(rate -> all.add(rate.roundTripSeconds()));
        answer.curves().forEach(curve -> curve.points().forEach(point -> all.add(point.roundTripSeconds())));
        return all.stream().mapToDouble(Double::doubleValue).filter(one -> one > 0).toArray();
    }

    private static Chart chart(String id, String title, String note, Unit unit, double[] places, List<Series> lines) {
        return Chart.of(its -> {
            its.id = id;
            its.title = title;
            its.note = note;
            its.axis = Chart.Axis.VALUES;
            its.xTitle = "round trip";
            its.unit = unit;
            its.logarithmic = true;
            its.height = 300;
            its.x = Arrays.stream(places).map(Math::log10).toArray();
            its.names = Arrays.stream(places).mapToObj(Amounts::seconds).toList();
            its.series = lines;
        });
    }

    private static List<Double> sizes(SideAnswer answer) {
        return answer.rates().stream().map(RateAtDistance::size).distinct().sorted().toList();
    }

    private static List<Series> rates(SideAnswer answer, double[] places) {
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (double size : sizes(answer)) {
            lines.add(points(Amounts.bytes(size), style, answer, places, size, RateAtDistance::perSecond));
            double[] expected = empty(places);
            answer.curves().stream().filter(curve -> curve.size() == size).flatMap(curve -> curve.points().stream())
                .forEach(point -> put(expected, places, point.roundTripSeconds(), point.perSecond()));
            lines.add(Series.line(Amounts.bytes(size) + ", explained", style, expected));
            style++;
        }
        List<TriedChange> tried = answer.tried();
        PointOfChange at = answer.changesAt();
        String what = Amounts.bytes(at.size()) + " with ";
        if (!tried.isEmpty()) {
            lines.add(mark(what + "no change", UNCHANGED, places, at, at.perSecond()));
        }
        for (int i = 0; i < tried.size(); i++) {
            lines.add(mark(what + setting(tried.get(i)), FIRST_CHANGE + i, places, at, tried.get(i).perSecond()));
        }
        return lines;
    }

    private static List<Series> underWay(SideAnswer answer, double[] places, ToDoubleFunction<RateAtDistance> figure, double window,
            String found) {
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (double size : sizes(answer)) {
            lines.add(points(Amounts.bytes(size), style++, answer, places, size, figure));
        }
        double[] all = new double[places.length];
        Arrays.fill(all, window);
        lines.add(Series.line("window found: " + found, UNCHANGED, all));
        return lines;
    }

    private static Series points(String label, int style, SideAnswer answer, double[] places, double size,
            ToDoubleFunction<RateAtDistance> figure) {
        double[] values = empty(places);
        answer.rates().stream().filter(rate -> rate.size() == size)
            .forEach(rate -> put(values, places, rate.roundTripSeconds(), figure.applyAsDouble(rate)));
        return Series.line(label, style, values).as(Series.Form.POINTS);
    }

    private static Series mark(String label, int style, double[] places, PointOfChange at, double rate) {
        double[] values = empty(places);
        put(values, places, at.roundTripSeconds(), rate);
        return Series.line(label, style, values).as(Series.Form.MARKS);
    }

    private static double[] empty(double[] places) {
        double[] values = new double[places.length];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    private static void put(double[] values, double[] places, double place, double value) {
        int i = Arrays.binarySearch(places, place);
        if (i >= 0) {
            values[i] = value;
        }
    }

    private static Table table(SideAnswer answer) {
        Table table = new Table("rates-" + answer.side(), "size", "round trip", "change", "messages a second", "explained",
            "messages under way",
            "bytes of bodies under way", "gain", "trial");
        for (RateAtDistance rate : answer.rates()) {
            table.row(Amounts.bytes(rate.size()), distance(rate.roundTripSeconds()), "", Amounts.rate(rate.perSecond()),
                Amounts.rate(rate.explainedPerSecond()), count(rate.messagesUnderWay()),
                Amounts.count(rate.bytesUnderWay()), "", Amounts.count(rate.trialNumber() == null ? Double.NaN : rate.trialNumber()));
        }
        PointOfChange at = answer.changesAt();
        List<TriedChange> tried = answer.tried();
        if (!tried.isEmpty()) {
            table.row(Amounts.bytes(at.size()), distance(at.roundTripSeconds()), "none", Amounts.rate(at.perSecond()), "", "", "", "1", "");
        }
        tried.forEach(
            one -> table.row(Amounts.bytes(at.size()), distance(at.roundTripSeconds()), setting(one), Amounts.rate(one.perSecond()), "", "",
                "", gain(one), ""));
        return table;
    }

    /** Formats a count, with a digit behind the point if it is small. */
    private static String count(double value) {
        return value < 100 ? String.format(Locale.ROOT, "%.1f", value) : Amounts.count(value);
    }
}
