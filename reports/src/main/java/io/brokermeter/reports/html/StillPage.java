package io.brokermeter.reports.html;

import java.util.List;

import io.brokermeter.reports.picture.Drawing;

/**
 * A page of text, tables and drawings that looks like the page of a run, in one file. Its content security policy forbids all requests and
 * scripts.
 */
public final class StillPage {

    private final String kind;
    private final Markup body = new Markup();

    /**
     * Creates an empty page.
     *
     * @param kind what the page is about: {@code comparison}
     */
    public StillPage(String kind) {
        this.kind = kind;
    }

    /** Adds an element with text in it. */
    public StillPage element(String name, String words) {
        body.element(name, words).line();
        return this;
    }

    public StillPage list(List<String> items) {
        if (!items.isEmpty()) {
            body.open("ul").line();
            items.forEach(item -> body.element("li", item).line());
            body.close("ul").line();
        }
        return this;
    }

    /**
     * Adds a drawing under a heading.
     *
     * @param explanation text below it; empty for none
     */
    public StillPage picture(String heading, String explanation, Drawing drawing) {
        body.open("section").element("h2", heading).open("div", "class", "scroll").add(drawing.markup()).close("div").line();
        if (!explanation.isEmpty()) {
            body.element("p", explanation, "class", "note");
        }
        body.close("section").line();
        return this;
    }

    /**
     * Adds a table.
     *
     * @param rows the rows, the first of which is the head
     */
    public StillPage table(List<List<String>> rows) {
        body.open("div", "class", "scroll").open("table", "class", "words").line();
        for (List<String> row : rows) {
            String cell = row == rows.getFirst() ? "th" : "td";
            body.open("tr");
            row.forEach(text -> body.element(cell, text));
            body.close("tr").line();
        }
        body.close("table").close("div").line();
        return this;
    }

    /** Returns the whole file. */
    public String text() {
        Markup head = new Markup().open("html", "lang", "en").open("head").open("meta", "charset", "utf-8")
            .open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
            .open("meta", "name", "color-scheme", "content", "light dark")
            .open("meta", "http-equiv", "Content-Security-Policy", "content", "default-src 'none'; style-src 'unsafe-inline'")
            .element("title", Character.toUpperCase(kind.charAt(0)) + kind.substring(1) + " \u2013 brokermeter");
        Markup rest = new Markup().open("body").element("p", "brokermeter " + kind, "class", "kind").open("main").line().add(body)
            .close("main").element("footer", "Made by brokermeter from the files of the runs alone.");
        return "<!DOCTYPE html>\n" + head + "<style>" + Assets.stillStyle() + "</style></head>\n" + rest + "\n</body></html>\n";
    }
}
