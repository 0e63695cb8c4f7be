package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.SweepDocument.OneExperiment;
import io.brokermeter.reports.document.WindowDocument.SideAnswer;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.PublishedFigure;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableKind;
import io.brokermeter.reports.table.TableRow;
import io.brokermeter.reports.table.TableView;
import org.jspecify.annotations.Nullable;

/** Formats the tables of a stored sweep, one for each experiment. */
public final class SweepTables {

    /** What is said of an experiment that a file does not have. */
    private static final OneExperiment NO_EXPERIMENT = DocumentJson.empty(OneExperiment.class);

    private SweepTables() {}

    /** Returns all tables as Markdown. */
    public static String markdown(StoredSweep sweep) {
        return text(sweep, TableView.MARKDOWN);
    }

    /** Returns all tables in the form of {@code view}, followed by the answers of {@code window} and {@code search} in their words. */
    public static String text(StoredSweep sweep, TableView view) {
        StringBuilder text = new StringBuilder(tables(sweep, of(sweep), view));
        Stream.of(sweep.window().answers().stream().map(SideAnswer::sentence).filter(sentence -> !sentence.isEmpty()),
            Stream.ofNullable(sweep.limit().sentence()),
            Stream.ofNullable(sweep.limits().limits().isEmpty() ? null : sweep.limits().sentence()))
            .flatMap(sentences -> sentences).forEach(sentence -> text.append('\n').append(sentence).append('\n'));
        return text.toString();
    }

    /**
     * Returns the tables without such answers, and how many trials of each experiment passed if there are several.
     *
     * @param tables tables of the sweep, as {@link #of} returns them
     */
    public static String tables(StoredSweep sweep, List<ResultTable> tables, TableView view) {
        StringBuilder text = new StringBuilder();
        for (ResultTable table : tables) {
            if (!table.rows().isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(table.text(view));
            }
        }
        Collection<List<StoredTrial>> experiments = byExperiment(sweep).values();
        if (experiments.size() > 1) {
            text.append(view.width() == 0 ? "\n## " : "\n")
                .append("Summary\n\n| experiment | trials | passed | failed | not run |\n|---|---:|---:|---:|---:|\n");
            for (List<StoredTrial> trials : experiments) {
                long passed = count(trials, "passed");
                long failed = count(trials, "failed");
                text.append("| ").append(trials.getFirst().experiment()).append(" | ").append(trials.size()).append(" | ").append(passed)
                    .append(" | ").append(failed).append(" | ").append(trials.size() - passed - failed).append(" |\n");
            }
        }
        return text.toString();
    }

    private static long count(List<StoredTrial> trials, String state) {
        return trials.stream().filter(trial -> trial.state().equals(state)).count();
    }

    /** Returns the tables in the order of the experiments. A trial that waits has no row. */
    public static List<ResultTable> of(StoredSweep sweep) {
        return of(sweep, trial -> StoredRun.resultIn(trial.directory()));
    }

    /**
     * Returns the tables, with results that the caller may already have read.
     *
     * @param results returns the result of a trial, empty if it left none
     */
    public static List<ResultTable> of(StoredSweep sweep, Function<StoredTrial, Optional<StoredResult>> results) {
        List<OneExperiment> experiments = sweep.document().experiments();
        boolean running = StoredSweep.isRunning(sweep.directory());
        List<ResultTable> tables = new ArrayList<>();
        byExperiment(sweep).forEach((number, trials) -> tables.add(table(
            number <= experiments.size() ? experiments.get(number - 1) : NO_EXPERIMENT, trials, results, running)));
        return tables;
    }

    /** Returns the trials of each experiment, by its number. */
    private static SortedMap<Integer, List<StoredTrial>> byExperiment(StoredSweep sweep) {
        return sweep.trials().stream().collect(Collectors.groupingBy(StoredTrial::experimentNumber, TreeMap::new, Collectors.toList()));
    }

    private static ResultTable table(OneExperiment said, List<StoredTrial> trials,
            Function<StoredTrial, Optional<StoredResult>> results, boolean running) {
        String name = trials.getFirst().experiment();
        List<TableRow> rows = new ArrayList<>();
        Set<String> brokers = new LinkedHashSet<>();
        trials.stream().filter(trial -> !trial.state().equals("waiting")).sorted(Comparator
            .comparingInt(StoredTrial::index).thenComparingInt(StoredTrial::round)).forEach(trial -> {
                StoredResult result = results.apply(trial).orElse(null);
                if (result != null && !result.brokerVersion().isEmpty()) {
                    brokers.add(result.brokerVersion());
                }
                rows.add(row(trial, result, running));
            });
        List<String> notes = new ArrayList<>();
        if (said.source() != null) {
            notes.add("Published in " + said.source() + ".");
        }
        if (!brokers.isEmpty()) {
            notes.add("Measured on " + String.join(", ", brokers) + ".");
        }
        return new ResultTable(said.title() != null ? name + ": " + said.title() : name, String.join(" ", notes), kind(said),
            rows);
    }

    private static TableRow row(StoredTrial trial, @Nullable StoredResult result, boolean running) {
        Map<String, PublishedFigure> published = new LinkedHashMap<>();
        trial.published().forEach((key, figure) -> published.put(key, new PublishedFigure(figure.text(), figure.value())));
        return new TableRow(trial.number(), trial.point(), trial.round(), published,
            trial.state().equals("running") && !running ? "cut off" : trial.state(), result, trial.causes());
    }

    private static TableKind kind(OneExperiment said) {
        return switch (String.valueOf(said.columns()).toLowerCase(Locale.ROOT)) {
            case "rocketmq" -> TableKind.ROCKETMQ;
            case "cern" -> TableKind.CERN;
            case "artemis" -> TableKind.ARTEMIS;
            default -> TableKind.GENERIC;
        };
    }
}
