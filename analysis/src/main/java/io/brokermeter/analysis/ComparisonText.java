package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.screen.Wrapping;

/** Formats comparisons as text for a terminal, and as Markdown for a pull request. */
public final class ComparisonText {

    private ComparisonText() {}

    /**
     * Returns text for a terminal: the answer first, then the figures. Ends with a newline.
     *
     * @param width column at which sentences are wrapped; 0 for no wrapping
     */
    public static String text(List<Comparison> comparisons, int width) {
        StringBuilder text = new StringBuilder();
        for (Comparison one : comparisons) {
            if (!text.isEmpty()) {
                text.append('\n');
            }
            if (!one.variant().isEmpty()) {
                text.append(one.variant()).append('\n');
            }
            for (Side side : List.of(one.first(), one.second())) {
                text.append(side.letter()).append("  ").append(side.title()).append(", ").append(Counted.of(side.trials().size(), "trial"))
                    .append('\n');
            }
            text.append('\n');
            sentence(text, ComparisonWords.answer(one), width);
            ComparisonWords.notes(one).forEach(note -> sentence(text, note, width));
            if (!one.figures().isEmpty()) {
                text.append('\n');
                table(text, rows(one));
            }
        }
        return text.toString();
    }

    static void sentence(StringBuilder text, String sentence, int width) {
        if (width <= 0) {
            text.append(sentence).append('\n');
        } else {
            Wrapping.lines("", "  ", sentence, width).forEach(line -> text.append(line).append('\n'));
        }
    }

    /** Returns Markdown for a pull request or a step summary: the answer, the notes, and a table. Ends with a newline. */
    public static String markdown(List<Comparison> comparisons) {
        StringBuilder text = new StringBuilder("## Comparison\n");
        for (Comparison one : comparisons) {
            text.append('\n').append(one.variant().isEmpty() ? "" : "### " + escaped(one.variant()) + "\n\n").append("**")
                .append(escaped(ComparisonWords.answer(one))).append("**\n\n");
            for (Side side : List.of(one.first(), one.second())) {
                text.append("- ").append(side.letter()).append(": ").append(escaped(side.title())).append(", ")
                    .append(Counted.of(side.trials().size(), "trial"))
                    .append('\n');
            }
            ComparisonWords.notes(one).forEach(note -> text.append("- ").append(escaped(note)).append('\n'));
            if (!one.figures().isEmpty()) {
                text.append('\n');
                table(text, rows(one), "---|---:|---:|---:|---:|---|---");
            }
        }
        return text.toString();
    }

    /**
     * Appends a table in Markdown.
     *
     * @param rows the rows, the first of which is the head
     * @param columns alignment of each column, without the outer bars
     */
    static void table(StringBuilder text, List<List<String>> rows, String columns) {
        for (List<String> row : rows) {
            text.append("| ").append(row.stream().map(ComparisonText::escaped).collect(Collectors.joining(" | "))).append(" |\n")
                .append(row == rows.getFirst() ? "|" + columns + "|\n" : "");
        }
    }

    /** Returns a text on one line, with all characters escaped that Markdown or HTML would interpret. */
    static String escaped(String text) {
        return Wrapping.oneLine(text).replace("&", "&amp;").replace("<", "&lt;").replaceAll("[\\\\`*_|\\[\\]]", "\\\\$0");
    }

    /** Returns the figures as rows of cells, the first of which is the head. */
    public static List<List<String>> rows(Comparison comparison) {
        List<List<String>> rows = new ArrayList<>();
        ConfidenceInterval first =
            comparison.figures().stream().map(FigureComparison::ratio).filter(Objects::nonNull).findFirst().orElse(null);
        rows.add(List.of("figure", comparison.first().letter(), comparison.second().letter(),
            comparison.second().letter() + "/" + comparison.first().letter(),
            (first == null ? "95 %" : ComparisonWords.percent(first.confidence())) + " interval", "trials", "verdict"));
        for (FigureComparison figure : comparison.figures()) {
            ConfidenceInterval ratio = figure.ratio();
            rows.add(List.of(figure.figure().heading(), figure.figure().text(figure.first()), figure.figure().text(figure.second()),
                ComparisonWords.ratio(figure.observed()),
                ratio == null ? "" : ComparisonWords.ratio(ratio.low()) + " - " + ComparisonWords.ratio(ratio.high()),
                ComparisonWords.trials(figure), ComparisonWords.word(comparison, figure)));
        }
        return rows;
    }

    /** Appends a table with columns of fixed width; numbers are aligned to the right. */
    private static void table(StringBuilder text, List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        rows.forEach(row -> {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String fill = " ".repeat(widths[i] - row.get(i).length());
                boolean right = i > 0 && i < 5;
                line.append(i == 0 ? "" : "  ").append(right ? fill : "").append(row.get(i)).append(right ? "" : fill);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
