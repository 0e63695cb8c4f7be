package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.picture.Drawing;

/**
 * A page: one file that needs nothing else and requests nothing, which its content security policy enforces. Text is text in the file, so
 * it can be read without any script; charts are drawn from data in the file.
 */
final class Page {

    private final String kind;
    private final String name;
    private final String subtitle;
    private final Conclusion conclusion;
    private final List<Tile> tiles = new ArrayList<>();
    private final List<Chart> charts = new ArrayList<>();
    private final Markup body = new Markup();
    private Course course = Course.NONE;

    /**
     * Creates an empty page.
     *
     * @param kind {@code run}, {@code sweep} or {@code window}
     * @param subtitle start, duration and setup of the run or sweep
     */
    Page(String kind, String name, String subtitle, Conclusion conclusion) {
        this.kind = kind;
        this.name = name;
        this.subtitle = subtitle;
        this.conclusion = conclusion;
    }

    Page tile(Tile tile) {
        tiles.add(tile);
        return this;
    }

    /** Sets what the charts over time share. */
    Page course(Course shared) {
        course = shared;
        return this;
    }

    /** Begins a part with a title. */
    Page section(String id, String title) {
        body.open("section", "id", id).element("h2", title).line();
        return this;
    }

    Page end() {
        body.close("section").line();
        return this;
    }

    /** Adds a chart, unless it has nothing to draw. */
    Page chart(Chart chart) {
        if (!chart.isEmpty()) {
            charts.add(chart);
            body.add(chart.markup());
        }
        return this;
    }

    Page add(Markup markup) {
        body.add(markup);
        return this;
    }

    /** Returns a picture of some charts of the page under its conclusion; empty if it has none of them. */
    Optional<Drawing> picture(List<String> ids) {
        List<Chart> shown = charts.stream().filter(chart -> ids.contains(chart.id())).toList();
        return shown.isEmpty() ? Optional.empty()
            : Optional.of(conclusion.picture(name, subtitle).of(shown, course));
    }

    /** Returns the whole file. */
    String text() {
        return text(new Markup(), Assets.script(), "");
    }

    /**
     * Returns the page for a server that feeds it while the run goes on.
     *
     * @param now the state of the run in one sentence
     */
    String live(String now) {
        Markup bar = new Markup().open("div", "id", "live").element("p", now, "id", "now")
            .element("button", "", "id", "fault", "type", "button", "hidden", "hidden")
            .element("button", "Rate -10 %", "id", "slower", "type", "button", "hidden", "hidden")
            .element("button", "Rate +10 %", "id", "faster", "type", "button", "hidden", "hidden")
            .element("button", "End the run", "id", "end", "type", "button").close("div").line();
        return text(bar, Assets.script() + "\n" + Assets.live(), "; connect-src 'self'");
    }

    /** Returns what of the page changes while the run goes on: {@code header} and {@code main} in HTML, and {@code data} of the charts. */
    Map<String, Object> news() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("header", header().toString());
        all.put("main", main().toString());
        all.put("data", charts());
        return all;
    }

    private Map<String, Object> charts() {
        Map<String, Object> all = new LinkedHashMap<>(course.json());
        all.put("charts", charts.stream().map(Chart::json).toList());
        return all;
    }

    private String text(Markup bar, String script, String allowed) {
        Markup head = new Markup().open("html", "lang", "en").open("head").open("meta", "charset", "utf-8")
            .open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
            .open("meta", "name", "color-scheme", "content", "light dark")
            .open("meta", "http-equiv", "Content-Security-Policy", "content",
                "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '" + Assets.sha256(script) + "'" + allowed)
            .element("title", name + " – brokermeter " + kind);
        StringBuilder text =
            new StringBuilder("<!DOCTYPE html>\n").append(head).append("<style>").append(Assets.style()).append("</style></head>\n");
        text.append(new Markup().open("body").add(header()).line()).append(bar).append(main()).append(new Markup().line()
            .element("footer",
                "Made by brokermeter from the files of the " + (kind.equals("run") ? kind : "trials")
                    + " alone. Charts are drawn by uPlot 1.6.32 (MIT licence)."));
        text.append("\n<script type=\"application/octet-stream\" id=\"data\">").append(Assets.packed(JsonText.of(charts())))
            .append("</script>\n");
        return text.append("<script>").append(script).append("</script>\n</body></html>\n").toString();
    }

    private Markup header() {
        return new Markup().open("header").open("div")
            .element("p", "brokermeter " + kind, "class", "kind").element("h1", name).element("p", subtitle, "class", "subtitle")
            .close("div")
            .open("div", "class", "tools").element("button", "Show all", "id", "reset", "type", "button", "hidden", "hidden")
            .element("button", "Dark", "id", "theme", "type", "button").close("div").close("header");
    }

    private Markup main() {
        Markup m = new Markup().open("main").add(conclusion.markup());
        if (!tiles.isEmpty()) {
            m.open("div", "class", "tiles");
            tiles.forEach(tile -> m.add(tile.markup()));
            m.close("div").line();
        }
        m.element("noscript", "Charts need scripts, which this browser does not run; everything else is here.");
        m.element("p", "", "id", "readout", "class", "readout", "role", "status", "aria-live", "polite");
        return m.add(body).close("main");
    }
}
