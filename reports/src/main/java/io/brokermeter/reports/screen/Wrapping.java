package io.brokermeter.reports.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Breaks text into lines, and joins lines to one. */
public final class Wrapping {

    private static final Pattern LINE_END = Pattern.compile("\\s*\\R\\s*");

    private Wrapping() {}

    /** Returns a text on one line, since a text from another program may have several. */
    public static String oneLine(String text) {
        return LINE_END.matcher(text).replaceAll(" ");
    }

    /**
     * Breaks a text into lines at blanks; a word that is too long for a line is broken as well.
     *
     * @param first beginning of the first line
     * @param next beginning of each further line, shorter than the width
     */
    public static List<String> lines(String first, String next, String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(first);
        boolean empty = true;
        for (String word : text.strip().split("\\s+")) {
            String rest = word;
            if (!empty && line.length() + 1 + rest.length() > width) {
                lines.add(line.toString());
                line = new StringBuilder(next);
                empty = true;
            }
            while (line.length() + (empty ? 0 : 1) + rest.length() > width) {
                int room = Math.max(1, width - line.length() - (empty ? 0 : 1));
                lines.add(line + (empty ? "" : " ") + rest.substring(0, room));
                rest = rest.substring(room);
                line = new StringBuilder(next);
                empty = true;
            }
            line.append(empty ? "" : " ").append(rest);
            empty = false;
        }
        lines.add(line.toString());
        return lines;
    }
}
