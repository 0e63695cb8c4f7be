package io.brokermeter.reports.html;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * A chart of the page: what stands in it, not how it is drawn, which {@code charts.js} knows.
 *
 * @param id of its element
 * @param title what it shows
 * @param note one sentence on how to read it, empty for none
 * @param axis its x
 * @param unit of its y
 * @param logarithmic whether its y is logarithmic
 * @param height in pixels of CSS
 * @param x where its values are; empty for {@link Axis#TIME}, which all such charts share
 * @param names of the places of {@link Axis#PLACES}
 * @param series its lines; may be empty
 * @param heat a heat map behind the lines, or null
 * @param stretch the time of {@link Axis#STRETCH}, otherwise null
 */
record Chart(
        String id, String title, String note, Axis axis, String xTitle, Unit unit, boolean logarithmic, int height, double[] x,
        List<String> names, List<Series> series, @Nullable HeatMap heat, @Nullable Stretch stretch) {

    /** What x is. */
    enum Axis {
        /** Seconds since the start of the load; the charts with it move together. */
        TIME,
        /** Seconds since the start of the load, of a part of it; the charts with it move together. */
        STRETCH,
        /** -log10(1 - p): 1 for the 90th percentile, 2 for the 99th. */
        PERCENTILE,
        /** Places with names. */
        PLACES,
        /** Numbers, of which those at which something was measured have their names on the axis. */
        VALUES
    }

    /** What y is, as {@code charts.js} writes it. */
    enum Unit {
        MICROS, PER_SECOND, PERCENT, BYTES, COUNT, MILLIS_PER_SECOND, MICROS_PER_MESSAGE
    }

    Chart {
        series = List.copyOf(series);
        names = List.copyOf(names);
    }

    static Chart ofTime(String id, String title, String note, Unit unit, int height, List<Series> series) {
        return new Chart(id, title, note, Axis.TIME, "seconds since the start", unit, false, height, new double[0], List.of(), series,
            null, null);
    }

    static Chart ofStretch(String id, String title, String note, Unit unit, int height, List<Series> series, Stretch stretch) {
        return new Chart(id, title, note, Axis.STRETCH, "seconds since the start", unit, false, height, new double[0], List.of(), series,
            null, stretch);
    }

    Chart onLogarithm() {
        return new Chart(id, title, note, axis, xTitle, unit, true, height, x, names, series, heat, stretch);
    }

    Chart with(HeatMap behind) {
        return new Chart(id, title, note, axis, xTitle, unit, logarithmic, height, x, names, series, behind, stretch);
    }

    /** Whether there is nothing to draw. */
    boolean isEmpty() {
        return heat == null && series.stream().allMatch(Series::isEmpty);
    }

    Map<String, Object> json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("id", id);
        all.put("title", title);
        all.put("axis", word(axis));
        all.put("xTitle", xTitle);
        all.put("unit", word(unit));
        all.put("log", logarithmic);
        all.put("height", height);
        if (stretch != null) {
            all.putAll(stretch.json());
        } else if (axis != Axis.TIME) {
            all.put("x", Series.numbers(x));
        }
        if (axis == Axis.VALUES) {
            all.put("ticks", Series.numbers(measured()));
        }
        if (!names.isEmpty()) {
            all.put("names", names);
        }
        all.put("series", series.stream().filter(one -> !one.isEmpty()).map(Series::json).toList());
        if (heat != null) {
            all.put("heat", heat.json());
        }
        return all;
    }

    private double[] measured() {
        return IntStream.range(0, x.length).filter(i -> series.stream()
            .anyMatch(one -> (one.form() == Series.Form.POINTS || one.form() == Series.Form.MARKS) && Double.isFinite(one.values()[i])))
            .mapToDouble(i -> x[i]).toArray();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The element that {@code charts.js} fills, with the table behind it. */
    Markup markup() {
        Markup m = new Markup();
        m.open("figure", "class", "chart", "id", id).open("figcaption").element("b", title);
        if (!note.isEmpty()) {
            m.text(" ").element("span", note, "class", "note");
        }
        m.close("figcaption").open("div", "class", "keys").close("div");
        m.open("div", "class", "plot", "tabindex", "0", "role", "application", "aria-label",
            title + ". Arrow keys read values, plus and minus "
                + "zoom, 0 shows all.")
            .close("div");
        m.open("details", "class", "data").element("summary", "Table").open("div", "class", "scroll").close("div").close("details");
        return m.close("figure").line();
    }
}
