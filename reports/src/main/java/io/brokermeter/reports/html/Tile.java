package io.brokermeter.reports.html;

import java.util.Locale;

/**
 * One of the figures that stand first.
 *
 * @param id of its element
 * @param title what it is
 * @param value the figure
 * @param detail what belongs to it, empty for nothing
 * @param mark whether it is good, bad or neither
 */
record Tile(String id, String title, String value, String detail, Mark mark) {

    /** Said by a sign and a colour. */
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
