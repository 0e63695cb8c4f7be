package io.brokermeter.reports.screen;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.AgentRows;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Verdict;

/**
 * Formats a run as a section of a Markdown page, such as the summary of a build step: the verdict with its reasons, times, counts, the
 * ledger, the resource usage of both sides, thresholds.
 */
public final class MarkdownSummary {

    private static final List<Metric> TIMES = List.of(Metric.RESPONSE, Metric.TRANSFER, Metric.SEND, Metric.SEND_DELAY, Metric.ROUND_TRIP,
        Metric.LATE_DELIVERY, Metric.HANDLER);
    private static final List<String> PARTS = List.of("p50", "p90", "p99", "p99.9", "max");

    private MarkdownSummary() {}

    /**
     * Returns the section, ended by an empty line so that another may follow.
     *
     * @param title heading of the section
     */
    public static String text(String title, StoredResult result) {
        ResultWords words = new ResultWords(result);
        StringBuilder text = new StringBuilder("### ").append(plain(title)).append(": ").append(words.verdict().words()).append("\n\n");
        if (!words.what().isEmpty()) {
            text.append(plain(words.what())).append("\n\n");
        }
        for (String reason : words.reasons()) {
            text.append("- ").append(plain(reason)).append('\n');
        }
        if (words.reasons().isEmpty() && words.verdict() == Verdict.PASSED) {
            text.append("- ").append(plain(words.soundness())).append('\n');
        }
        text.append('\n');
        times(text, result);
        List<List<String>> rows = new ArrayList<>();
        row(rows, "sent", words.sent());
        row(rows, "received", words.received());
        row(rows, "ledger", words.ledger());
        row(rows, "tick", words.tick());
        row(rows, "connects", words.connects());
        row(rows, "generator", usage(result.generator().cpuPercent(), result.number(ResultField.CPU_PER_MESSAGE),
            result.generator().residentBytes()));
        row(rows, "broker", usage(result.number(ResultField.BROKER_CPU), result.number(ResultField.BROKER_CPU_PER_MESSAGE),
            result.number(ResultField.BROKER_MEMORY)));
        table(text, List.of("", ""), rows, 2);
        if (!AgentRows.of(result).isEmpty()) {
            table(text, AgentRows.HEAD, AgentRows.of(result), 1);
        }
        if (!result.thresholds().isEmpty()) {
            List<List<String>> limits = result.thresholds().stream()
                .map(one -> List.of(one.expression(), one.word().equals("kept") ? "kept" : "**" + one.word() + "**",
                    one.sentence().startsWith(one.expression() + ": ") ? one.sentence().substring(one.expression().length() + 2)
                        : one.sentence()))
                .toList();
            table(text, List.of("threshold", "", "it was"), limits, 3);
        }
        return text.toString();
    }

    private static void times(StringBuilder text, StoredResult result) {
        List<List<String>> rows = new ArrayList<>();
        for (Metric time : TIMES) {
            if (result.samples(time) > 0) {
                List<String> row = new ArrayList<>(List.of(time.label()));
                PARTS.forEach(part -> row.add(Margin.time(result, time, part)
                    + (result.isMarked(time, part) ? " (own stalls " + Amounts.time(result.ownMicros(time, part)) + ")"
                        : "")));
                row.add(Amounts.count(result.samples(time)));
                rows.add(row);
            }
        }
        if (!rows.isEmpty()) {
            List<String> head = new ArrayList<>(List.of("time"));
            head.addAll(PARTS);
            head.add("samples");
            table(text, head, rows, 1);
        }
    }

    private static String usage(double cpu, double perMessage, double memory) {
        List<String> parts = new ArrayList<>();
        if (Double.isFinite(cpu)) {
            parts.add("CPU " + Amounts.percent(cpu));
        }
        if (Double.isFinite(perMessage)) {
            parts.add(Amounts.time(perMessage) + " a message");
        }
        if (Double.isFinite(memory)) {
            parts.add("memory " + Amounts.bytes(memory));
        }
        return String.join(", ", parts);
    }

    private static void row(List<List<String>> rows, String name, String text) {
        if (!text.isEmpty()) {
            rows.add(List.of(name, text));
        }
    }

    /** @param left number of leading columns that contain text, which is aligned to the left */
    private static void table(StringBuilder text, List<String> head, List<List<String>> rows, int left) {
        text.append(line(head)).append('|');
        for (int c = 0; c < head.size(); c++) {
            text.append(c < left ? "---|" : "---:|");
        }
        text.append('\n');
        rows.forEach(row -> text.append(line(row)));
        text.append('\n');
    }

    private static String line(List<String> cells) {
        StringBuilder line = new StringBuilder("|");
        cells.forEach(cell -> line.append(' ').append(plain(cell).replace("|", "\\|")).append(" |"));
        return line.append('\n').toString();
    }

    /** Returns a text on one line, with the characters escaped that HTML would interpret. */
    public static String plain(String text) {
        return Wrapping.oneLine(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
