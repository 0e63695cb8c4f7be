package io.brokermeter.reports.picture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.reports.html.Markup;

/**
 * A picture, composed of shapes, each of a kind. In a page, kinds are classes of its style, so that the picture suits light mode, dark
 * mode and print; in a file of its own they are drawn as {@link Ink} says.
 */
public final class Drawing {

    /** A part of a picture. */
    sealed interface Shape {

        /** Name of how it is drawn. */
        String kind();

        record Line(String kind, double x1, double y1, double x2, double y2) implements Shape {}

        /** @param tip text that a pointer shows; empty for none */
        record Box(String kind, double x, double y, double width, double height, String tip) implements Shape {}

        record Dot(String kind, double x, double y, double radius, String tip) implements Shape {}

        /** @param closed whether it is the area that the points enclose, and not a line through them */
        record Points(String kind, boolean closed, double[] xs, double[] ys) implements Shape {}

        /**
         * Boxes of one kind without seams between them.
         *
         * @param boxes left, top, width and height of each, whole numbers
         */
        record Cells(String kind, int[] boxes) implements Shape {}

        record Words(String kind, String anchor, double x, double y, String words) implements Shape {}
    }

    private static final String FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

    private final int width;
    private final int height;
    private final String title;
    private final List<Shape> shapes = new ArrayList<>();

    /**
     * Creates an empty picture.
     *
     * @param title description of the picture, for screen readers
     */
    public Drawing(int width, int height, String title) {
        this.width = width;
        this.height = height;
        this.title = title;
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    List<Shape> shapes() {
        return shapes;
    }

    public Drawing line(String kind, double x1, double y1, double x2, double y2) {
        shapes.add(new Shape.Line(kind, x1, y1, x2, y2));
        return this;
    }

    public Drawing rectangle(String kind, double x, double y, double wide, double high) {
        shapes.add(new Shape.Box(kind, x, y, Math.max(0, wide), Math.max(0, high), ""));
        return this;
    }

    Drawing cells(String kind, int[] boxes) {
        shapes.add(new Shape.Cells(kind, boxes));
        return this;
    }

    Drawing dot(String kind, double x, double y, double radius) {
        shapes.add(new Shape.Dot(kind, x, y, radius, ""));
        return this;
    }

    /** Adds a dot with a tooltip. */
    public Drawing dot(double x, double y, String tip) {
        shapes.add(new Shape.Dot("dot", x, y, 4, tip));
        return this;
    }

    /** Adds a mark with a tooltip: round for the first side, square for any other. */
    public Drawing mark(int side, double x, double y, String tip) {
        shapes.add(side == 0 ? new Shape.Dot("mark s0", x, y, 4, tip) : new Shape.Box("mark s1", x - 3.5, y - 3.5, 7, 7, tip));
        return this;
    }

    /** Adds a line through points. */
    public Drawing line(String kind, double[] xs, double[] ys) {
        shapes.add(new Shape.Points(kind, false, xs, ys));
        return this;
    }

    /** Adds the area that points enclose. */
    public Drawing area(String kind, double[] xs, double[] ys) {
        shapes.add(new Shape.Points(kind, true, xs, ys));
        return this;
    }

    /**
     * Adds text.
     *
     * @param anchor {@code start}, {@code middle} or {@code end}
     */
    public Drawing words(String anchor, double x, double y, String words) {
        return words("", anchor, x, y, words);
    }

    Drawing words(String kind, String anchor, double x, double y, String words) {
        shapes.add(new Shape.Words(kind, anchor, x, y, words));
        return this;
    }

    /** Adds another picture, whose left upper corner is at a point. */
    void add(Drawing other, double dx, double dy) {
        for (Shape shape : other.shapes) {
            shapes.add(switch (shape) {
                case Shape.Line one -> new Shape.Line(one.kind, one.x1 + dx, one.y1 + dy, one.x2 + dx, one.y2 + dy);
                case Shape.Box one -> new Shape.Box(one.kind, one.x + dx, one.y + dy, one.width, one.height, one.tip);
                case Shape.Dot one -> new Shape.Dot(one.kind, one.x + dx, one.y + dy, one.radius, one.tip);
                case Shape.Points one -> new Shape.Points(one.kind, one.closed, Arrays.stream(one.xs).map(x -> x + dx).toArray(),
                    Arrays.stream(one.ys).map(y -> y + dy).toArray());
                case Shape.Words one -> new Shape.Words(one.kind, one.anchor, one.x + dx, one.y + dy, one.words);
                case Shape.Cells one -> one;
            });
        }
    }

    // ---- as text ----

    /** Returns the picture as an element of a page. */
    public Markup markup() {
        Markup m = new Markup().open("svg", "class", "drawing", "viewBox", "0 0 " + width + " " + height, "role", "img", "aria-label",
            title, "xmlns", "http://www.w3.org/2000/svg").line();
        return shapes(m, kind -> kind.isEmpty() ? new String[0] : new String[] {"class", kind});
    }

    /** Returns the picture as a file in SVG on white paper that needs nothing else. */
    public String svg() {
        Markup m = new Markup().open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", Integer.toString(width), "height",
            Integer.toString(height), "viewBox", "0 0 " + width + " " + height, "role", "img", "font-family", FONTS).line()
            .element("title", title).line();
        m.open("rect", "width", "100%", "height", "100%", "fill", "#ffffff").close("rect").line();
        return shapes(m, Drawing::attributes).toString();
    }

    /**
     * Returns the picture as a file in PNG, with two pixels for each of the picture's.
     *
     * @throws io.brokermeter.engine.scenario.UsageException where this machine has no font, or its Java no graphics
     */
    public byte[] png() {
        return DrawingImage.png(this);
    }

    private static String[] attributes(String kind) {
        Ink ink = Ink.of(kind);
        List<String> all = new ArrayList<>(List.of("fill", ink.fill()));
        if (!ink.stroke().equals(Ink.NONE)) {
            all.addAll(List.of("stroke", ink.stroke(), "stroke-width", number(ink.width())));
        }
        if (!ink.dash().isEmpty()) {
            all.addAll(List.of("stroke-dasharray", ink.dash().stream().map(String::valueOf).collect(Collectors.joining(" "))));
        }
        if (ink.opacity() < 1) {
            all.addAll(List.of("opacity", number(ink.opacity())));
        }
        return all.toArray(String[]::new);
    }

    private Markup shapes(Markup m, Function<String, String[]> dress) {
        boolean alone = dress.apply("").length > 0;
        for (Shape shape : shapes) {
            String[] its = dress.apply(shape.kind());
            switch (shape) {
                case Shape.Line one -> open(m, "line", its, "x1", at(one.x1), "y1", at(one.y1), "x2", at(one.x2), "y2", at(one.y2))
                    .close("line");
                case Shape.Box one -> tipped(open(m, "rect", its, "x", at(one.x), "y", at(one.y), "width", at(one.width), "height",
                    at(one.height)), one.tip).close("rect");
                case Shape.Dot one -> tipped(open(m, "circle", its, "cx", at(one.x), "cy", at(one.y), "r", number(one.radius)), one.tip)
                    .close("circle");
                case Shape.Points one -> {
                    String element = one.closed ? "polygon" : "polyline";
                    StringBuilder points = new StringBuilder();
                    for (int i = 0; i < one.xs.length; i++) {
                        points.append(at(one.xs[i])).append(',').append(at(one.ys[i])).append(' ');
                    }
                    open(m, element, its, "points", points.toString()).close(element);
                }
                case Shape.Cells one -> open(m, "path", its, "shape-rendering", "crispEdges", "d", path(one.boxes)).close("path");
                case Shape.Words one -> {
                    String[] placed = {"text-anchor", one.anchor, "x", at(one.x), "y", at(one.y)};
                    open(m, "text", its, alone ? join(placed, letters(one.kind)) : placed).text(one.words).close("text");
                }
            }
            m.line();
        }
        return m.close("svg").line();
    }

    private static String[] letters(String kind) {
        Ink ink = Ink.of(kind);
        String[] size = {"font-size", Integer.toString(ink.size())};
        String[] weight = ink.bold() ? new String[] {"font-weight", "600"} : new String[0];
        return join(join(size, weight), ink.stroke().equals(Ink.NONE) ? new String[0] : new String[] {"paint-order", "stroke"});
    }

    private static String path(int[] boxes) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < boxes.length; i += 4) {
            path.append('M').append(boxes[i]).append(' ').append(boxes[i + 1]).append('h').append(boxes[i + 2]).append('v')
                .append(boxes[i + 3]).append('h').append(-boxes[i + 2]).append('z');
        }
        return path.toString();
    }

    private static Markup open(Markup m, String element, String[] dress, String... attributes) {
        return m.open(element, join(dress, attributes));
    }

    private static String[] join(String[] first, String[] second) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(second)).toArray(String[]::new);
    }

    private static Markup tipped(Markup m, String tip) {
        return tip.isEmpty() ? m : m.element("title", tip);
    }

    private static String at(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
