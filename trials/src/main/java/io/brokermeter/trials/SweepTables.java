package io.brokermeter.trials;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.scenario.Counted;
import io.brokermeter.experiment.Columns;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Source;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunEnvironment;
import io.brokermeter.reports.RunStore;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.table.PublishedFigure;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableColumn;
import io.brokermeter.reports.table.TableKind;
import io.brokermeter.reports.table.TableRow;
import io.brokermeter.reports.table.TableView;
import org.jspecify.annotations.Nullable;

/** The tables of a sweep, made from the files of its trials, and written after each of them. */
final class SweepTables {

    private final SweepPlan plan;
    private final SweepFiles files;
    private final RunEnvironment environment;
    /** Results do not change once they are there. */
    private final Map<Path, StoredResult> results = new HashMap<>();

    SweepTables(SweepPlan plan, SweepFiles files, RunEnvironment environment) {
        this.plan = plan;
        this.files = files;
        this.environment = environment;
    }

    /** The result of a trial, or null when it left none. */
    @Nullable StoredResult result(SweepPlan.Step step) {
        Path directory = files.trial(step);
        StoredResult known = results.get(directory);
        if (known == null) {
            known = StoredRun.resultIn(directory).orElse(null);
            if (known != null) {
                results.put(directory, known);
            }
        }
        return known;
    }

    /** What a trial came to, in a line. */
    static String line(StoredResult result) {
        List<String> parts = new ArrayList<>();
        double sent = TableColumn.SENT.of(result);
        double received = TableColumn.RECEIVED.of(result);
        if (Double.isFinite(sent)) {
            parts.add(Amounts.rate(sent, "sent/s"));
        }
        if (Double.isFinite(received)) {
            parts.add(Amounts.rate(received, "received/s"));
        }
        double failed = TableColumn.FAILED.of(result);
        if (failed > 0) {
            parts.add(Counted.of((long) failed, "send") + " failed");
        }
        parts.add(String.format(Locale.ROOT, "%.1f s", result.number(ResultField.ELAPSED)));
        if (result.success() && "rate missed".equals(result.values().get("result"))) {
            parts.add("rate missed");
        }
        if (!result.doubts().isEmpty()) {
            parts.add("doubtful");
        }
        result.thresholds().stream().filter(threshold -> !threshold.passed())
            .forEach(threshold -> parts.add("threshold missed: " + threshold.sentence()));
        return String.join(", ", parts);
    }

    /** Writes {@code table.md}, and one file of comma-separated values for each experiment. */
    void write() throws IOException {
        RunDirectory.write(files.directory().resolve("table.md"), markdown() + "\nMeasured with brokermeter " + ToolVersion.text() + " on "
            + environment.machine() + ".\n");
        for (int e = 0; e < plan.experiments().size(); e++) {
            String name = plan.experiments().size() == 1 ? "table.csv"
                : String.format(Locale.ROOT, "table-%02d-%s.csv", e + 1, RunStore.fileName(plan.experiments().get(e).name()));
            RunDirectory.write(files.directory().resolve(name), table(e).csv());
        }
    }

    /** All tables in Markdown, and a summary when there are several. */
    private String markdown() {
        return text(TableView.MARKDOWN);
    }

    /** The same as {@code view} has it. */
    String text(TableView view) {
        StringBuilder text = new StringBuilder();
        for (int e = 0; e < plan.experiments().size(); e++) {
            ResultTable table = table(e);
            if (!table.rows().isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(table.text(view));
            }
        }
        if (plan.experiments().size() > 1) {
            text.append(view.width() == 0 ? "\n## " : "\n")
                .append("Summary\n\n| experiment | trials | passed | failed | not run |\n|---|---:|---:|---:|---:|\n");
            for (int e = 0; e < plan.experiments().size(); e++) {
                text.append("| ").append(plan.experiments().get(e).name()).append(" | ").append(plan.experiments().get(e).trials().size())
                    .append(" | ").append(count(e, SweepFiles.State.PASSED)).append(" | ").append(count(e, SweepFiles.State.FAILED))
                    .append(" | ").append(plan.experiments().get(e).trials().size() - count(e, SweepFiles.State.PASSED)
                        - count(e, SweepFiles.State.FAILED))
                    .append(" |\n");
            }
        }
        return text.toString();
    }

    private long count(int experiment, SweepFiles.State state) {
        return plan.steps().stream().filter(step -> step.experiment() == experiment && files.entry(step).state() == state).count();
    }

    private ResultTable table(int e) {
        Experiment experiment = plan.experiments().get(e);
        List<TableRow> rows = new ArrayList<>();
        Set<String> brokers = new LinkedHashSet<>();
        plan.steps().stream().filter(step -> step.experiment() == e && files.entry(step).state() != SweepFiles.State.WAITING)
            .sorted(Comparator.comparingInt((SweepPlan.Step step) -> step.trial().index())
                .thenComparingInt(step -> step.trial().round()))
            .forEach(step -> {
                StoredResult result = result(step);
                if (result != null && result.values().get("versions") instanceof Map<?, ?> versions
                    && versions.get("broker") != null) {
                    brokers.add(String.valueOf(versions.get("broker")));
                }
                rows.add(row(step, experiment, result));
            });
        List<String> notes = new ArrayList<>();
        if (experiment.source() != null) {
            notes.add("Published in " + source(experiment.source()) + ".");
        }
        if (!brokers.isEmpty()) {
            notes.add("Measured on " + String.join(", ", brokers) + ".");
        }
        return new ResultTable(experiment.title() == null ? experiment.name() : experiment.name() + ": " + experiment.title(),
            String.join(" ", notes), kind(experiment.columns()), rows);
    }

    private TableRow row(SweepPlan.Step step, Experiment experiment, @Nullable StoredResult result) {
        Map<String, PublishedFigure> published = new LinkedHashMap<>();
        experiment.published(step.trial()).forEach(row -> row.figures()
            .forEach(figure -> published.put(figure.name().key(), new PublishedFigure(figure.text(), (figure.low() + figure.high()) / 2))));
        SweepFiles.Entry entry = files.entry(step);
        String state = switch (entry.state()) {
            case PASSED -> "passed";
            case FAILED -> "failed";
            case WAITING -> "";
            case RUNNING -> "running";
            case INTERRUPTED -> "interrupted";
        };
        return TableRow.of(its -> {
            its.number = step.number();
            its.variant = step.trial().point().values();
            its.repeat = step.trial().round();
            its.published = published;
            its.state = state;
            its.result = result;
            its.causes = entry.causes();
        });
    }

    private static TableKind kind(Columns columns) {
        return switch (columns) {
            case DEFAULT -> TableKind.GENERIC;
            case ROCKETMQ -> TableKind.ROCKETMQ;
            case CERN -> TableKind.CERN;
            case ARTEMIS -> TableKind.ARTEMIS;
        };
    }

    static String source(Source source) {
        return source.document() + (source.table() == null ? "" : ", " + source.table())
            + (source.machine() == null ? "" : " (" + source.machine() + ")");
    }
}
