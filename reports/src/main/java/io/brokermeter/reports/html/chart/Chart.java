package io.brokermeter.reports.html.chart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.brokermeter.reports.html.Markup;
import org.jspecify.annotations.Nullable;

/**
 * A chart of the page: its content, not how it is drawn, which is up to {@code charts.js}.
 *
 * @param id id of its element
 * @param title title that names what it shows
 * @param note one sentence on how to read it, empty for none
 * @param axis kind of its x axis
 * @param unit unit of its y axis
 * @param logarithmic whether its y axis is logarithmic
 * @param height height in CSS pixels
 * @param x x values; empty for {@link Axis#TIME}, whose charts share them
 * @param names names of the x values of {@link Axis#PLACES} and {@link Axis#VALUES}
 * @param series lines; may be empty
 * @param heat a heat map behind the lines, or null
 * @param stretch the time of {@link Axis#STRETCH}, otherwise null
 */
public record Chart(
        String id, String title, String note, Axis axis, String xTitle, Unit unit, boolean logarithmic, int height, double[] x,
        List<String> names, List<Series> series, @Nullable HeatMap heat, @Nullable Stretch stretch) {

    /** The components of a chart by name, for {@link #of} and {@link #with}. */
    @SuppressWarnings("NullAway.Init") // fields without a default are checked when all are set
    public static final class Values {

        public String id;
        public String title;
        public String note = "";
        public Axis axis;
        public String xTitle;
        public Unit unit;
        public boolean logarithmic;
        public int height;
        public double[] x = new double[0];
        public List<String> names = List.of();
        public List<Series> series;
        public @Nullable HeatMap heat;
        public @Nullable Stretch stretch;

        private Values() {}
    }

    /** Creates a chart with the values that {@code change} sets. */
    public static Chart of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** Returns this chart with the values changed that {@code change} sets. */
    public Chart with(Consumer<Values> change) {
        Values its = new Values();
        its.id = id;
        its.title = title;
        its.note = note;
        its.axis = axis;
        its.xTitle = xTitle;
        its.unit = unit;
        its.logarithmic = logarithmic;
        its.height = height;
        its.x = x;
        its.names = names;
        its.series = series;
        its.heat = heat;
        its.stretch = stretch;
        return made(its, change);
    }

    private static Chart made(Values its, Consumer<Values> change) {
        change.accept(its);
        return new Chart(Objects.requireNonNull(its.id, "id"), Objects.requireNonNull(its.title, "title"), its.note,
            Objects.requireNonNull(its.axis, "axis"), Objects.requireNonNull(its.xTitle, "xTitle"),
            Objects.requireNonNull(its.unit, "unit"), its.logarithmic, its.height, its.x, its.names,
            Objects.requireNonNull(its.series, "series"), its.heat, its.stretch);
    }

    /** The kind of an x axis. */
    public enum Axis {
        /** Seconds since the start of the load; the charts with this axis move together. */
        TIME,
        /** Seconds since the start of the load, for a part of it; the charts with this axis move together. */
        STRETCH,
        /** -log10(1 - p): 1 for the 90th percentile, 2 for the 99th. */
        PERCENTILE,
        /** Named places. */
        PLACES,
        /** Numbers; the axis names those at which something was measured. */
        VALUES
    }

    /** The unit of a y axis, in which {@code charts.js} formats its values. */
    public enum Unit {
        MICROS, PER_SECOND, PERCENT, BYTES, COUNT, MILLIS_PER_SECOND, MICROS_PER_MESSAGE
    }

    public Chart {
        series = List.copyOf(series);
        names = List.copyOf(names);
    }

    public static Chart ofTime(String id, String title, String note, Unit unit, int height, List<Series> series) {
        return Chart.of(its -> {
            its.id = id;
            its.title = title;
            its.note = note;
            its.axis = Axis.TIME;
            its.xTitle = "seconds since the start";
            its.unit = unit;
            its.height = height;
            its.series = series;
        });
    }

    public static Chart ofStretch(String id, String title, String note, Unit unit, int height, List<Series> series, Stretch stretch) {
        return ofTime(id, title, note, unit, height, series).with(its -> {
            its.axis = Axis.STRETCH;
            its.stretch = stretch;
        });
    }

    public Chart onLogarithm() {
        return with(its -> its.logarithmic = true);
    }

    public Chart with(HeatMap behind) {
        return with(its -> its.heat = behind);
    }

    /** Returns whether there is nothing to draw. */
    public boolean isEmpty() {
        return heat == null && series.stream().allMatch(Series::isEmpty);
    }

    public Map<String, Object> json() {
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

    /** The part of an x axis that a name takes. */
    private static final double ROOM_FOR_NAME = 0.07;
    /** The forms of values that were measured. */
    private static final Set<Series.Form> MEASURED = Set.of(Series.Form.POINTS, Series.Form.MARKS, Series.Form.DOTS);

    /** Returns the x values at which something was measured, without those whose names would overlap the one before. */
    private double[] measured() {
        double least = x.length < 2 ? 0 : ROOM_FOR_NAME * (x[x.length - 1] - x[0]);
        double[] last = {Double.NEGATIVE_INFINITY};
        return IntStream.range(0, x.length).filter(i -> series.stream()
            .anyMatch(one -> MEASURED.contains(one.form()) && Double.isFinite(one.values()[i])))
            .mapToDouble(i -> x[i]).filter(at -> {
                boolean fits = at - last[0] >= least;
                last[0] = fits ? at : last[0];
                return fits;
            }).toArray();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the element that {@code charts.js} fills, with the table behind it. */
    public Markup markup() {
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
