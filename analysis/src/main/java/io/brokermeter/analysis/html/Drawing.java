package io.brokermeter.analysis.html;

import java.util.Locale;

/**
 * A picture in SVG, composed of elements. Colours and fonts are classes of the page, so that the picture suits light mode, dark mode and
 * print.
 */
final class Drawing {

    private final StringBuilder text = new StringBuilder();

    /**
     * Creates an empty picture.
     *
     * @param title description of the picture, for screen readers
     */
    Drawing(int width, int height, String title) {
        text.append(
            format("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">\n", width, height,
                HtmlPage.escape(title)));
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    Drawing line(String kind, double x1, double y1, double x2, double y2) {
        text.append(format("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind, x1, y1, x2, y2));
        return this;
    }

    Drawing rectangle(String kind, double x, double y, double width, double height) {
        text.append(format("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", kind, x, y, Math.max(0, width),
            Math.max(0, height)));
        return this;
    }

    /** Adds a dot with a tooltip. */
    Drawing dot(double x, double y, String tip) {
        text.append(
            format("<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s</title></circle>\n", x, y, HtmlPage.escape(tip)));
        return this;
    }

    /** Adds a mark with a tooltip: round for the first side, square for any other. */
    Drawing mark(int side, double x, double y, String tip) {
        String shape = side == 0 ? format("<circle class=\"mark s0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", x, y)
            : format("<rect class=\"mark s1\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\">", x - 3.5, y - 3.5);
        text.append(shape).append("<title>").append(HtmlPage.escape(tip)).append("</title>")
            .append(side == 0 ? "</circle>\n" : "</rect>\n");
        return this;
    }

    /** Adds a line through points, or the area that they enclose. */
    Drawing points(String element, String kind, double[] xs, double[] ys) {
        text.append('<').append(element).append(" class=\"").append(kind).append("\" points=\"");
        for (int i = 0; i < xs.length; i++) {
            text.append(format("%.1f,%.1f ", xs[i], ys[i]));
        }
        text.append("\"/>\n");
        return this;
    }

    /**
     * Adds text.
     *
     * @param anchor {@code start}, {@code middle} or {@code end}
     */
    Drawing words(String anchor, double x, double y, String words) {
        text.append(format("<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", anchor, x, y)).append(HtmlPage.escape(words))
            .append("</text>\n");
        return this;
    }

    @Override
    public String toString() {
        return text + "</svg>\n";
    }
}
