package io.brokermeter.reports.formats;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableKind;
import io.brokermeter.reports.table.TableRow;

/**
 * Formats stored runs as comma-separated values: the results with a line for each run, or the intervals of one run with a line for each.
 */
public final class RunCsv {

    private static final List<String> FIGURES = List.of("mean", "50", "90", "99", "99.9", "max");
    private static final List<String> BROKER = List.of("cpuPercent", "residentBytes", "heapUsedBytes", "gcPauseMillis", "depthMessages");

    private RunCsv() {}

    /** Returns a header, and a line with the figures of a run; times are in microseconds. */
    public static String of(StoredRun run) {
        String state = run.state() == StoredRun.State.ENDED ? "" : run.state() == StoredRun.State.RUNNING ? "running" : "cut off";
        TableRow row = new TableRow(1, Map.of("run", run.directoryName()), 1, Map.of(), state, run.result(), run.result().causes());
        return new ResultTable("", "", TableKind.GENERIC, List.of(row)).csv();
    }

    /**
     * Returns a header and a line for each trial of a sweep. Experiments that vary different keys follow each other, each with a header.
     */
    public static String of(StoredSweep sweep) {
        StringBuilder text = new StringBuilder();
        SweepTables.of(sweep).forEach(table -> text.append(text.isEmpty() ? "" : "\n").append(table.csv()));
        return text.toString();
    }

    /** Returns a header, and a line for each interval; a cell is empty if its figure is unknown. */
    public static String intervals(StoredRun run) {
        List<Metric> metrics = new ArrayList<>(List.of(Metric.values()));
        metrics.removeIf(metric -> run.intervals().stream().allMatch(one -> one.samples(metric) == 0));
        List<String> head =
            new ArrayList<>(List.of("end", "elapsed_seconds", "seconds", "warmup", "phase", "sent_messages", "blocked_messages",
                "completed_messages", "failed_messages", "received_messages"));
        for (Metric metric : metrics) {
            String name = metric.fileKey().replace('-', '_');
            FIGURES.forEach(
                figure -> head.add(name + "_" + (Character.isDigit(figure.charAt(0)) ? "p" : "") + figure.replace(".", "") + "_us"));
            head.add(name + "_count");
        }
        List<Count> counts = ResultField.ofParts().toList();
        BROKER.forEach(figure -> head.add("broker_" + figure.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)));
        counts.forEach(count -> head.add(count.key().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)));
        StringBuilder text = new StringBuilder(Csv.line(head));
        for (StoredInterval one : run.intervals()) {
            List<String> cells = new ArrayList<>(List.of(Instant.ofEpochMilli(one.endEpochMillis()).toString(), cell(one.elapsedSeconds()),
                cell(one.seconds()), Boolean.toString(one.warmup()), one.phase()));
            cells.addAll(one.sends() ? List.of(Long.toString(one.sent()), Long.toString(one.blocked()), Long.toString(one.completed()),
                Long.toString(one.failed())) : List.of("", "", "", ""));
            cells.add(one.receives() ? Long.toString(one.received()) : "");
            for (Metric metric : metrics) {
                FIGURES.forEach(figure -> cells.add(cell(one.micros(metric, figure))));
                cells.add(Long.toString(one.samples(metric)));
            }
            BROKER.forEach(figure -> cells.add(cell(one.broker(figure))));
            counts.forEach(count -> cells.add(cell(one.count(count))));
            text.append(Csv.line(cells));
        }
        return text.toString();
    }

    private static String cell(double value) {
        return Double.isFinite(value) ? Numbers.plain(value) : "";
    }
}
