package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.reports.screen.Wrapping;

/** A table of cells in columns, shown as Markdown with all columns, or as text that fits a width. */
public final class TextTable {

    /** The rank of a column that is shown at every width. */
    public static final int ALWAYS = 0;

    private static final String GAP = "  ";
    private static final int NARROWEST = 8;
    private static final String CUT = "...";

    private record Column(String heading, boolean left, int rank, List<String> cells) {}

    private final List<Column> columns = new ArrayList<>();

    /**
     * Adds a column behind the others, with as many cells as they have.
     *
     * @param left whether its cells are words, which are aligned to the left
     * @param rank the order in which columns are given room, {@link #ALWAYS} for one that is always shown
     */
    public void add(String heading, boolean left, int rank, List<String> cells) {
        // A line end in a cell, as in a value of a sweep, would end its row.
        columns.add(new Column(heading, left, rank, cells.stream().map(Wrapping::oneLine).toList()));
    }

    /** Appends the table as Markdown, with columns padded so that it can be read as it is. */
    public void markdown(StringBuilder text) {
        List<List<String>> safe = columns.stream().map(column -> {
            List<String> cells = new ArrayList<>(List.of(column.heading));
            cells.addAll(column.cells);
            return cells.stream().map(cell -> cell.replace("|", "\\|")).toList();
        }).toList();
        int[] widths = safe.stream().mapToInt(cells -> Math.max(3, cells.stream().mapToInt(String::length).max().orElse(0))).toArray();
        int lines = safe.getFirst().size();
        for (int l = 0; l < lines; l++) {
            for (int c = 0; c < columns.size(); c++) {
                text.append("| ").append(padded(safe.get(c).get(l), widths[c], columns.get(c).left)).append(' ');
            }
            text.append("|\n");
            if (l == 0) {
                for (int c = 0; c < columns.size(); c++) {
                    text.append('|').append(columns.get(c).left ? "-".repeat(widths[c] + 2) : "-".repeat(widths[c] + 1) + ":");
                }
                text.append("|\n");
            }
        }
    }

    /** Appends the table as text that fits; returns the headings of the columns that there was no room for. */
    List<String> text(StringBuilder text, int width) {
        Set<Column> shown = new HashSet<>();
        int used = -GAP.length();
        for (Column column : columns.stream().sorted(Comparator.comparingInt(Column::rank)).toList()) {
            int wanted = GAP.length() + width(column);
            if (column.rank == ALWAYS || (long) used + wanted <= width) {
                shown.add(column);
                used += wanted;
            }
        }
        List<Column> kept = columns.stream().filter(shown::contains).toList();
        int[] widths = kept.stream().mapToInt(TextTable::width).toArray();
        narrow(kept, widths, used - width);
        List<List<String>> heads = kept.stream().map(column -> heading(column.heading)).toList();
        int high = heads.stream().mapToInt(List::size).max().orElse(0);
        for (int h = 0; h < high; h++) {
            List<String> line = new ArrayList<>();
            for (List<String> head : heads) {
                int from = h - (high - head.size());
                line.add(from < 0 ? "" : head.get(from));
            }
            line(text, kept, widths, line);
        }
        line(text, kept, widths, java.util.Arrays.stream(widths).mapToObj("-"::repeat).toList());
        int rows = kept.isEmpty() ? 0 : kept.getFirst().cells.size();
        for (int r = 0; r < rows; r++) {
            int row = r;
            line(text, kept, widths, kept.stream().map(column -> column.cells.get(row)).toList());
        }
        return columns.stream().filter(column -> !shown.contains(column)).map(Column::heading).toList();
    }

    private static void line(StringBuilder text, List<Column> columns, int[] widths, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int c = 0; c < columns.size(); c++) {
            String cell = cells.get(c);
            String fitting = cell.length() <= widths[c] ? cell : cell.substring(0, widths[c] - CUT.length()) + CUT;
            line.append(c == 0 ? "" : GAP).append(padded(fitting, widths[c], columns.get(c).left));
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    /** Takes the excess width from the columns of words. */
    private static void narrow(List<Column> columns, int[] widths, int tooMuch) {
        int left = tooMuch;
        while (left > 0) {
            int widest = -1;
            for (int c = 0; c < widths.length; c++) {
                if (columns.get(c).left && widths[c] > NARROWEST && (widest < 0 || widths[c] > widths[widest])) {
                    widest = c;
                }
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
            left--;
        }
    }

    private static int width(Column column) {
        int head = heading(column.heading).stream().mapToInt(String::length).max().orElse(0);
        return Math.max(head, column.cells.stream().mapToInt(String::length).max().orElse(0));
    }

    /** Splits a heading into lines of a word or two: the unit stands alone if the name is long. */
    private static List<String> heading(String heading) {
        List<String> lines = new ArrayList<>();
        for (String word : heading.split(" ")) {
            if (!lines.isEmpty() && lines.getLast().length() + 1 + word.length() <= NARROWEST) {
                lines.add(lines.removeLast() + " " + word);
            } else {
                lines.add(word);
            }
        }
        return lines;
    }

    private static String padded(String cell, int width, boolean left) {
        String blanks = " ".repeat(Math.max(0, width - cell.length()));
        return left ? cell + blanks : blanks + cell;
    }
}
