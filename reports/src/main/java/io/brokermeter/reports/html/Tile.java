package io.brokermeter.reports.html;

import java.util.Locale;

/**
 * A figure at the top of a page.
 *
 * @param id id of its element
 * @param title name of the figure
 * @param value the figure
 * @param detail further text, empty for none
 * @param mark whether the figure is good, bad or neither
 */
record Tile(String id, String title, String value, String detail, Mark mark) {

    /** A rating, shown by a sign and a colour. */
    enum Mark {
        NONE, GOOD, BAD
    }

    Markup markup() {
        Markup m = new Markup().open("div", "class", "tile " + mark.name().toLowerCase(Locale.ROOT), "id", id)
            .element("h2", title).open("p", "class", "value").text(value);
        if (mark != Mark.NONE) {
            m.text(" ").element("span", mark == Mark.GOOD ? "✓" : "✗", "class", "mark", "aria-label", mark == Mark.GOOD ? "good" : "bad");
        }
        m.close("p");
        if (!detail.isEmpty()) {
            m.element("p", detail, "class", "detail");
        }
        return m.close("div");
    }
}
