package io.brokermeter.trials.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.published.Publication;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.formats.SweepTables;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableColumn;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.sweep.SweepFiles.State;
import io.brokermeter.trials.sweep.SweepPlan.Step;

/** The results of the trials of a sweep: the result of each, and the tables of all, which are written after each trial. */
final class SweepResults {

    private SweepPlan plan;
    private final SweepFiles files;
    private final RunEnvironment environment;
    /** The results read so far, by directory; a result does not change once it is there. */
    private final Map<Path, StoredResult> results = new HashMap<>();

    SweepResults(SweepPlan plan, SweepFiles files, RunEnvironment environment) {
        this.plan = plan;
        this.files = files;
        this.environment = environment;
    }

    /** Takes a plan with more trials. */
    void grow(SweepPlan larger) {
        plan = larger;
    }

    /** Returns what a trial of an experiment is called where experiments are several. */
    static String name(Experiment experiment, String variant) {
        return variant.isEmpty() ? experiment.name() : experiment.name() + ", " + variant;
    }

    List<Step> failed() {
        return plan.steps().stream().filter(step -> files.entry(step).state() == State.FAILED).toList();
    }

    /** Returns the failed trials, each with its causes on a line; empty when there are none. */
    String failures(List<Step> failed) {
        if (failed.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(failed.size() + " of " + Counted.of(plan.steps().size(), "trial") + " failed:\n");
        for (Step step : failed) {
            Experiment experiment = plan.experiment(step);
            text.append("  ").append(step.number()).append(" (").append(name(experiment, step.variant(experiment))).append("): ")
                .append(String.join(" ", files.entry(step).causes()).replaceAll("\\s*\\R\\s*", " ")).append('\n');
        }
        return text.toString();
    }

    /** Returns the result of a trial; empty when it left none. */
    Optional<StoredResult> result(Step step) {
        return result(files.trial(step));
    }

    private Optional<StoredResult> result(StoredTrial trial) {
        return result(trial.directory());
    }

    private Optional<StoredResult> result(Path directory) {
        Optional<StoredResult> known = Optional.ofNullable(results.get(directory)).or(() -> StoredRun.resultIn(directory));
        known.ifPresent(result -> results.put(directory, result));
        return known;
    }

    /** Returns the result of a trial in one line. */
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
        if (result.success() && result.isRateMissed()) {
            parts.add("rate missed");
        }
        if (result.isInvalid()) {
            parts.add("invalid");
        } else if (!result.doubts().isEmpty()) {
            parts.add("doubtful");
        }
        result.thresholds().stream().filter(StoredResult.StoredThreshold::isMissed)
            .forEach(threshold -> parts.add("threshold missed: " + threshold.sentence()));
        return String.join(", ", parts);
    }

    /** Writes {@code table.md}, and one file of comma-separated values for each experiment. */
    void write() throws IOException {
        StoredSweep sweep = StoredSweep.read(files.directory());
        List<ResultTable> tables = SweepTables.of(sweep, this::result);
        RunDirectory.write(files.directory().resolve("table.md"), SweepTables.tables(sweep, tables, TableView.MARKDOWN)
            + "\nMeasured with brokermeter " + ToolVersion.text() + " on " + environment.machine() + ".\n");
        for (int e = 0; e < tables.size(); e++) {
            String name = tables.size() == 1 ? "table.csv"
                : String.format(Locale.ROOT, "table-%02d-%s.csv", e + 1, RunStore.fileName(plan.experiments().get(e).name()));
            RunDirectory.write(files.directory().resolve(name), tables.get(e).csv());
        }
    }

    /** Returns the tables as {@code view} formats them, and a summary when there are several. */
    String text(TableView view) {
        StoredSweep sweep = StoredSweep.read(files.directory());
        return SweepTables.tables(sweep, SweepTables.of(sweep, this::result), view);
    }

    static String source(Publication source) {
        return source.document() + (source.table() == null ? "" : ", " + source.table())
            + (source.machine() == null ? "" : " (" + source.machine() + ")");
    }
}
