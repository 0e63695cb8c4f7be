package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.html.Chart.Unit;
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
    private final Map<String, @Nullable Object> window;
    private final List<Map<String, @Nullable Object>> answers;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of a trial cannot be read */
    WindowPage(StoredSweep sweep) {
        this.sweep = sweep;
        this.trials = new SweepPage(sweep);
        this.window = sweep.window();
        this.answers = JsonText.maps(window.get("answers")).stream().map(WindowPage::judged).toList();
    }

    /** Returns an answer in which a fall that no window explains is called that; earlier versions wrote that nothing limits the rate. */
    private static Map<String, @Nullable Object> judged(Map<String, @Nullable Object> answer) {
        if (!"nothing".equals(answer.get("limit")) || !(number(answer, "leastShareOfRate") < FALLS)) {
            return answer;
        }
        Map<String, @Nullable Object> judged = new LinkedHashMap<>(answer);
        judged.put("limit", null);
        judged.put("rangeWords", null);
        judged.put("unexplained", true);
        return judged;
    }

    /** Returns whether a sweep has answers of this kind. */
    static boolean isAbout(StoredSweep sweep) {
        return !JsonText.maps(sweep.window().get("answers")).isEmpty();
    }

    String text() {
        Page page = new Page("window", name(), trials.subtitle(), conclusion());
        answers.forEach(answer -> tiles(page, answer));
        page.data("edges", List.of());
        page.data("marks", List.of());
        page.data("bands", List.of());
        answers.forEach(answer -> side(page, answer));
        page.section("trials", "Trials").add(trials.trialList(sweep.trials(), 1)).end();
        return page.text();
    }

    private String name() {
        Map<String, @Nullable Object> first = answers.getFirst();
        String broker = text(first, "broker");
        return "What limits over distance: " + text(first, "protocol") + (broker.isEmpty() ? "" : " with " + broker);
    }

    private static String text(Map<String, @Nullable Object> of, String name) {
        return of.get(name) instanceof String text ? text : "";
    }

    private static double number(Map<String, @Nullable Object> of, String... path) {
        return StoredResult.number(of, List.of(path));
    }

    private static boolean isTold(Map<String, @Nullable Object> answer) {
        return answer.get("limit") instanceof String;
    }

    private Conclusion conclusion() {
        List<String> parts = new ArrayList<>();
        for (Map<String, @Nullable Object> answer : answers) {
            String who = "the " + text(answer, "side");
            parts.add(Boolean.TRUE.equals(answer.get("contradictory")) ? "the measured curves of " + who + " contradict each other"
                : Boolean.TRUE.equals(answer.get("unexplained")) ? "no window explains how the rate of " + who + " falls over distance"
                    : !isTold(answer) ? "too few rates tell what limits " + who
                        : "nothing".equals(answer.get("limit")) ? "no window limits " + who
                            : who + " has at most " + found(answer) + " under way");
        }
        List<String> reasons = new ArrayList<>(sweep.notes());
        switch (text(window, "way")) {
            case "proxy" -> reasons
                .add("A TCP proxy made the distances, so of what limits sockets over them the windows of receivers show at most.");
            case "link" -> reasons.add("A link of two devices made the distances, so the windows of sockets are the real ones.");
            default -> {
                // a protocol that makes distances of its own
            }
        }
        return new Conclusion(answers.stream().allMatch(WindowPage::isTold) ? Conclusion.Verdict.ANSWERED : Conclusion.Verdict.OPEN,
            Sentences.list(parts) + ".", reasons);
    }

    /** Describes the window that was found, in the words of the answer if it has any. */
    private static String found(Map<String, @Nullable Object> answer) {
        String words = text(answer, "limitWords");
        if (!words.isEmpty()) {
            return words;
        }
        List<String> parts = new ArrayList<>();
        double messages = number(answer, "windowMessages", "estimate");
        double bytes = number(answer, "windowBytes", "estimate");
        // A window may be less than one message.
        if (Double.isFinite(messages)) {
            parts.add(Amounts.number(messages) + " messages");
        }
        if (Double.isFinite(bytes)) {
            parts.add(Amounts.number(bytes) + " bytes");
        }
        return String.join(" or ", parts);
    }

    private void tiles(Page page, Map<String, @Nullable Object> answer) {
        String side = text(answer, "side");
        boolean limited = isTold(answer) && !"nothing".equals(answer.get("limit"));
        page.tile(new Tile("tile-" + side, "Far " + side + ", under way",
            !isTold(answer) ? Amounts.UNKNOWN : limited ? "at most " + found(answer) : "no window",
            text(answer, "rangeWords"), Tile.Mark.NONE));
        Map<String, @Nullable Object> governing = JsonText.map(answer.get("governedBy"));
        if (!governing.isEmpty()) {
            page.tile(new Tile("tile-" + side + "-setting", "Setting of the " + side, setting(governing),
                text(governing, "place") + "; " + gain(governing) + " the rate over " + distance(JsonText.map(answer.get("changesAt"))),
                Tile.Mark.NONE));
        }
    }

    private static String setting(Map<String, @Nullable Object> tried) {
        double before = number(tried, "before");
        String after = text(tried, "after");
        if (!after.matches("[0-9]{1,15}")) {
            return text(tried, "setting") + " = " + after;
        }
        String to = Amounts.count(Double.parseDouble(after));
        return text(tried, "setting") + (Double.isFinite(before) ? " " + Amounts.count(before) + " → " : " = ") + to;
    }

    private static String gain(Map<String, @Nullable Object> tried) {
        double gain = number(tried, "gain");
        return Double.isFinite(gain) ? String.format(Locale.ROOT, "%.2f times", gain)
            : Double.isFinite(number(tried, "perSecond")) ? Amounts.UNKNOWN : "failed";
    }

    private static String distance(Map<String, @Nullable Object> point) {
        return Amounts.seconds(number(point, "roundTripSeconds"));
    }

    // ---- one side ----

    private void side(Page page, Map<String, @Nullable Object> answer) {
        String side = text(answer, "side");
        page.section("side-" + side, "A " + side + " far away")
            .add(new Markup().element("p", text(answer, "sentence"), "id", "sentence-" + side));
        double[] places = places(answer);
        if (places.length > 0) {
            page.add(new Markup().open("div", "class", "pair"));
            page.chart(chart("rate-" + side,
                side.equals("producer") ? "Sent a second over the round trip" : "Received a second over the round trip",
                "Both axes are logarithmic. Points: measured; lines: what explains them; hollow: with a change.", Unit.PER_SECOND, places,
                rates(answer, places)));
            double messages = number(answer, "windowMessages", "estimate");
            if (Double.isFinite(messages)) {
                page.chart(chart("messages-" + side, "Messages under way", "The line is the window that was found.", Unit.COUNT, places,
                    underWay(answer, places, "messagesUnderWay", messages,
                        text(answer, "limit").equals("messages") ? found(answer) : Amounts.number(messages) + " messages")));
            }
            double bytes = number(answer, "windowBytes", "estimate");
            if (Double.isFinite(bytes)) {
                double overhead = number(answer, "overheadBytes");
                page.chart(chart("bytes-" + side, "Bytes under way",
                    "The line is the window that was found." + (overhead >= 10
                        ? " Each message takes " + Amounts.count(overhead) + " bytes of it beside its body." : ""),
                    Unit.BYTES, places, underWay(answer, places, "windowBytesUsed", bytes, Amounts.bytes(bytes))));
            }
            page.add(new Markup().close("div"));
        }
        page.add(new Markup().element("h3", "Rates")).add(table(answer).markup()).end();
    }

    /** Returns the round trips with data, in seconds. */
    private static double[] places(Map<String, @Nullable Object> answer) {
        TreeSet<Double> all = new TreeSet<>();
        JsonText.maps(answer.get("rates")).forEach(rate -> all.add(number(rate, "roundTripSeconds")));
        JsonText.maps(answer.get("curves")).forEach(curve -> JsonText.maps(curve.get("points"))
            .forEach(point -> all.add(number(point, "roundTripSeconds"))));
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

    private static List<Double> sizes(Map<String, @Nullable Object> answer) {
        return JsonText.maps(answer.get("rates")).stream().map(rate -> number(rate, "size")).distinct().sorted().toList();
    }

    private static List<Series> rates(Map<String, @Nullable Object> answer, double[] places) {
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (double size : sizes(answer)) {
            lines.add(points(Amounts.bytes(size), style, answer, places, size, rate -> number(rate, "perSecond")));
            double[] expected = empty(places);
            JsonText.maps(answer.get("curves")).stream().filter(curve -> number(curve, "size") == size)
                .flatMap(curve -> JsonText.maps(curve.get("points")).stream())
                .forEach(point -> put(expected, places, number(point, "roundTripSeconds"), number(point, "perSecond")));
            lines.add(Series.line(Amounts.bytes(size) + ", explained", style, expected));
            style++;
        }
        List<Map<String, @Nullable Object>> tried = JsonText.maps(answer.get("tried"));
        Map<String, @Nullable Object> at = JsonText.map(answer.get("changesAt"));
        String what = Amounts.bytes(number(at, "size")) + " with ";
        if (!tried.isEmpty()) {
            lines.add(mark(what + "no change", UNCHANGED, places, at, number(at, "perSecond")));
        }
        for (int i = 0; i < tried.size(); i++) {
            lines.add(mark(what + setting(tried.get(i)), FIRST_CHANGE + i, places, at, number(tried.get(i), "perSecond")));
        }
        return lines;
    }

    private static List<Series> underWay(Map<String, @Nullable Object> answer, double[] places, String name, double window, String found) {
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (double size : sizes(answer)) {
            lines.add(points(Amounts.bytes(size), style++, answer, places, size, rate -> number(rate, name)));
        }
        double[] all = new double[places.length];
        Arrays.fill(all, window);
        lines.add(Series.line("window found: " + found, UNCHANGED, all));
        return lines;
    }

    private static Series points(String label, int style, Map<String, @Nullable Object> answer, double[] places, double size,
            Function<Map<String, @Nullable Object>, Double> figure) {
        double[] values = empty(places);
        JsonText.maps(answer.get("rates")).stream().filter(rate -> number(rate, "size") == size)
            .forEach(rate -> put(values, places, number(rate, "roundTripSeconds"), figure.apply(rate)));
        return Series.line(label, style, values).as(Series.Form.POINTS);
    }

    private static Series mark(String label, int style, double[] places, Map<String, @Nullable Object> at, double rate) {
        double[] values = empty(places);
        put(values, places, number(at, "roundTripSeconds"), rate);
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

    private static Table table(Map<String, @Nullable Object> answer) {
        Table table = new Table("rates-" + text(answer, "side"), "size", "round trip", "change", "messages a second", "explained",
            "messages under way",
            "bytes of bodies under way", "gain", "trial");
        for (Map<String, @Nullable Object> rate : JsonText.maps(answer.get("rates"))) {
            table.row(Amounts.bytes(number(rate, "size")), distance(rate), "", Amounts.rate(number(rate, "perSecond")),
                Amounts.rate(number(rate, "explainedPerSecond")), count(number(rate, "messagesUnderWay")),
                Amounts.count(number(rate, "bytesUnderWay")), "", Amounts.count(number(rate, "trialNumber")));
        }
        Map<String, @Nullable Object> at = JsonText.map(answer.get("changesAt"));
        List<Map<String, @Nullable Object>> tried = JsonText.maps(answer.get("tried"));
        if (!tried.isEmpty()) {
            table.row(Amounts.bytes(number(at, "size")), distance(at), "none", Amounts.rate(number(at, "perSecond")), "", "", "", "1", "");
        }
        tried.forEach(
            one -> table.row(Amounts.bytes(number(at, "size")), distance(at), setting(one), Amounts.rate(number(one, "perSecond")), "", "",
                "", gain(one), ""));
        return table;
    }

    /** Formats a count, with a digit behind the point if it is small. */
    private static String count(double value) {
        return value < 100 ? String.format(Locale.ROOT, "%.1f", value) : Amounts.count(value);
    }
}
