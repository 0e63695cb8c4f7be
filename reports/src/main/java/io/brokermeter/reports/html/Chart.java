package io.brokermeter.reports.html;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
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
 * @param x where its values are; empty for {@link Axis#TIME}, which all charts of that kind share
 * @param names of the places of {@link Axis#PLACES}
 * @param series its lines; may be empty
 * @param heat a heat map behind the lines, or null
 * @param stretch the time of {@link Axis#STRETCH}, otherwise null
 */
record Chart(
        String id, String title, String note, Axis axis, String xTitle, Unit unit, boolean logarithmic, int height, double[] x,
        List<String> names, List<Series> series, @Nullable HeatMap heat, @Nullable Stretch stretch) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
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

    /** Of what {@code change} sets. */
    public static Chart of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** The same but for what {@code change} sets. */
    public Chart but(Consumer<Values> change) {
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

    static Chart ofStretch(String id, String title, String note, Unit unit, int height, List<Series> series, Stretch stretch) {
        return ofTime(id, title, note, unit, height, series).but(its -> {
            its.axis = Axis.STRETCH;
            its.stretch = stretch;
        });
    }

    Chart onLogarithm() {
        return but(its -> its.logarithmic = true);
    }

    Chart with(HeatMap behind) {
        return but(its -> its.heat = behind);
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
