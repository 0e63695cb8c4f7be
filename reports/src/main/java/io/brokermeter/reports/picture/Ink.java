package io.brokermeter.reports.picture;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.reports.html.Assets;

/**
 * How a kind of shape is drawn where no style sheet says so, in the colours of the page in light mode.
 *
 * @param fill colour like {@code #0072b2}, or {@code none}
 * @param stroke likewise
 * @param width width of the stroke
 * @param dash lengths of dashes and gaps in turn; empty for a solid stroke
 * @param opacity of fill and stroke, from 0 to 1
 * @param size size of letters
 */
record Ink(String fill, String stroke, double width, List<Integer> dash, double opacity, int size, boolean bold) {

    static final String NONE = "none";
    private static final Map<String, String> COLOURS = Assets.lightColours();
    /** Dashes of the lines of a chart and of those over a heat map, by their styles, as in {@code charts.js}. */
    private static final List<List<Integer>> DASHES = List.of(List.of(), List.of(6, 3), List.of(2, 2), List.of(10, 3, 2, 3), List.of(),
        List.of(4, 4), List.of(1, 3), List.of(12, 4));
    private static final int TEXT = 13;

    /**
     * Returns the ink of a kind of shape: a class of the page's style, {@code line} or {@code thin} or {@code point} with the number of a
     * style, {@code over} with one, or a colour.
     */
    static Ink of(String kind) {
        if (kind.startsWith("#")) {
            return new Ink(kind, NONE, 0, List.of(), 1, TEXT, false);
        }
        String name = kind.replaceFirst("\\d$", "");
        int number = name.equals(kind) ? 0 : Character.digit(kind.charAt(name.length()), 10);
        return switch (name) {
            case "line" -> stroke("c" + number, 1.75).dashed(DASHES.get(number));
            case "thin" -> stroke("c" + number, 1).dashed(List.of(2, 3));
            case "over" -> stroke("ink", 1.3).dashed(DASHES.get(number % 3));
            case "rim" -> stroke("paper", 3.5).opaque(0.75);
            case "point" -> filled("c" + number);
            case "event" -> stroke("mark", 1).dashed(List.of(4, 3));
            case "grid" -> stroke("rule", 1);
            case "axis" -> stroke("quiet", 1);
            case "interval" -> stroke("ink", 2);
            case "band" -> filled("band");
            case "dot" -> filled("ink");
            case "area" -> filled("c" + number).opaque(0.15);
            case "s" -> stroke("c" + number, 2).dashed(number == 0 ? List.of() : List.of(7, 4));
            case "mark s" -> new Ink(number == 0 ? colour("c0") : NONE, colour("c" + number), 2, List.of(), 1, TEXT, false);
            case "change" -> stroke("c1", 1).dashed(List.of(3, 3));
            case "quiet" -> filled("quiet").text(12, false);
            case "title" -> filled("ink").text(18, true);
            case "caption" -> filled("ink").text(TEXT, true);
            case "good", "bad", "doubt" -> filled(kind).text(15, true);
            case "halo" -> halo("quiet");
            case "halo-event" -> halo("mark");
            default -> filled("ink");
        };
    }

    /** Returns a colour of the page by its name there, without its opacity. */
    private static String colour(String name) {
        String value = COLOURS.getOrDefault(name, "");
        if (!value.startsWith("rgba(")) {
            return value;
        }
        String[] parts = value.substring(5, value.length() - 1).split(",");
        return String.format(Locale.ROOT, "#%02x%02x%02x", Integer.parseInt(parts[0].strip()), Integer.parseInt(parts[1].strip()),
            Integer.parseInt(parts[2].strip()));
    }

    private static double opacity(String name) {
        String value = COLOURS.getOrDefault(name, "");
        return value.startsWith("rgba(") ? Double.parseDouble(value.substring(value.lastIndexOf(',') + 1, value.length() - 1).strip()) : 1;
    }

    private static Ink filled(String name) {
        return new Ink(colour(name), NONE, 0, List.of(), opacity(name), TEXT, false);
    }

    private static Ink stroke(String name, double width) {
        return new Ink(NONE, colour(name), width, List.of(), 1, TEXT, false);
    }

    /** Returns the ink of words over other things, with a rim of paper. */
    private static Ink halo(String name) {
        return new Ink(colour(name), colour("paper"), 3, List.of(), 1, 11, false);
    }

    private Ink dashed(List<Integer> pattern) {
        return new Ink(fill, stroke, width, pattern, opacity, size, bold);
    }

    private Ink opaque(double share) {
        return new Ink(fill, stroke, width, dash, share, size, bold);
    }

    private Ink text(int pixels, boolean heavy) {
        return new Ink(fill, stroke, width, dash, opacity, pixels, heavy);
    }
}
