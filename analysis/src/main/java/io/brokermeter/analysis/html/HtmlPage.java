package io.brokermeter.analysis.html;

import java.util.List;

/**
 * A page in a single file. Its content security policy forbids all requests and scripts. Lines use the colours of Okabe and Ito and differ
 * in their dashes as well.
 */
final class HtmlPage {

    private static final String STYLE =
        """
            :root { color-scheme: light dark; --ink: #16191d; --soft: #5b636d; --paper: #fff; --grid: #d5d9de; --band: #eef1f4; --a: #0072b2; --b: #d55e00 }
            @media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a4abb3; --paper: #16191d; --grid: #3a4048; --band: #23282e; --a: #56b4e9;
              --b: #e69f00 } }
            @media print { :root { color-scheme: light } section { break-inside: avoid } }
            body { font: 16px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem }
            h1 { font-size: 1.35rem } h2 { font-size: 1.05rem; margin-top: 2rem } p, li { overflow-wrap: anywhere }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums } td, th { padding: .15rem .7rem .15rem 0; text-align: right }
            td:first-child, th:first-child, td:last-child, th:last-child { text-align: left } .wide { overflow-x: auto }
            svg { width: 100%; min-width: 36rem; height: auto; font: 13px system-ui, sans-serif } text { fill: var(--ink) }
            .grid { stroke: var(--grid) } .axis { stroke: var(--soft) } .band { fill: var(--band) } .interval { stroke: var(--ink); stroke-width: 2 }
            .s0 { stroke: var(--a); fill: none; stroke-width: 2 } .s1 { stroke: var(--b); fill: none; stroke-width: 2; stroke-dasharray: 7 4 }
            .mark.s0 { fill: var(--a) } .mark.s1 { stroke-dasharray: none } .area0 { fill: var(--a); opacity: .15 } .area1 { fill: var(--b); opacity: .15 }
            .change { stroke: var(--b); stroke-dasharray: 3 3 } .dot { fill: var(--ink) }
            """;

    private final StringBuilder body = new StringBuilder();
    private final String title;

    HtmlPage(String title) {
        this.title = title;
    }

    /** Escapes the characters of a text that HTML would interpret. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'", "&#39;");
    }

    /** Adds an element with text in it. */
    HtmlPage element(String name, String words) {
        body.append('<').append(name).append('>').append(escape(words)).append("</").append(name).append(">\n");
        return this;
    }

    HtmlPage list(List<String> items) {
        if (!items.isEmpty()) {
            body.append("<ul>\n");
            items.forEach(item -> element("li", item));
            body.append("</ul>\n");
        }
        return this;
    }

    HtmlPage picture(String heading, String explanation, Drawing drawing) {
        body.append("<section>\n");
        element("h2", heading);
        body.append("<div class=\"wide\">").append(drawing).append("</div>\n");
        if (!explanation.isEmpty()) {
            element("p", explanation);
        }
        body.append("</section>\n");
        return this;
    }

    /**
     * Adds a table.
     *
     * @param rows the rows, the first of which is the head
     */
    HtmlPage table(List<List<String>> rows) {
        body.append("<div class=\"wide\"><table>\n");
        for (List<String> row : rows) {
            String cell = row == rows.getFirst() ? "th" : "td";
            body.append("<tr>");
            row.forEach(text -> body.append('<').append(cell).append('>').append(escape(text)).append("</").append(cell).append('>'));
            body.append("</tr>\n");
        }
        body.append("</table></div>\n");
        return this;
    }

    String text() {
        return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>"
            + escape(title)
            + "</title>\n<style>\n" + STYLE + "</style></head>\n<body>\n" + body + "</body></html>\n";
    }
}
