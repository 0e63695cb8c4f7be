package io.brokermeter.reports.html;

import java.util.Locale;

/**
 * A picture in SVG, composed of elements. Colours and fonts are classes of the page, so that the picture suits light mode, dark mode and
 * print.
 */
public final class Drawing {

    private final Markup m = new Markup();

    /**
     * Creates an empty picture.
     *
     * @param title description of the picture, for screen readers
     */
    public Drawing(int width, int height, String title) {
        m.open("svg", "class", "drawing", "viewBox", "0 0 " + width + " " + height, "role", "img", "aria-label", title, "xmlns",
            "http://www.w3.org/2000/svg").line();
    }

    private static String at(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    public Drawing line(String kind, double x1, double y1, double x2, double y2) {
        m.open("line", "class", kind, "x1", at(x1), "y1", at(y1), "x2", at(x2), "y2", at(y2)).close("line").line();
        return this;
    }

    public Drawing rectangle(String kind, double x, double y, double width, double height) {
        m.open("rect", "class", kind, "x", at(x), "y", at(y), "width", at(Math.max(0, width)), "height", at(Math.max(0, height)))
            .close("rect").line();
        return this;
    }

    /** Adds a dot with a tooltip. */
    public Drawing dot(double x, double y, String tip) {
        m.open("circle", "class", "dot", "cx", at(x), "cy", at(y), "r", "4").element("title", tip).close("circle").line();
        return this;
    }

    /** Adds a mark with a tooltip: round for the first side, square for any other. */
    public Drawing mark(int side, double x, double y, String tip) {
        if (side == 0) {
            m.open("circle", "class", "mark s0", "cx", at(x), "cy", at(y), "r", "4").element("title", tip).close("circle").line();
        } else {
            m.open("rect", "class", "mark s1", "x", at(x - 3.5), "y", at(y - 3.5), "width", "7", "height", "7").element("title", tip)
                .close("rect").line();
        }
        return this;
    }

    /** Adds a line through points, or the area that they enclose. */
    public Drawing points(String element, String kind, double[] xs, double[] ys) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < xs.length; i++) {
            points.append(at(xs[i])).append(',').append(at(ys[i])).append(' ');
        }
        m.open(element, "class", kind, "points", points.toString()).close(element).line();
        return this;
    }

    /**
     * Adds text.
     *
     * @param anchor {@code start}, {@code middle} or {@code end}
     */
    public Drawing words(String anchor, double x, double y, String words) {
        m.element("text", words, "text-anchor", anchor, "x", at(x), "y", at(y)).line();
        return this;
    }

    Markup markup() {
        return new Markup().add(m).close("svg").line();
    }
}
