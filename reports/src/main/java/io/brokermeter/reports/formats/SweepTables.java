package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.PublishedFigure;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableKind;
import io.brokermeter.reports.table.TableRow;
import io.brokermeter.reports.table.TableView;
import org.jspecify.annotations.Nullable;

/** The tables of a stored sweep, one for each experiment. */
public final class SweepTables {

    private SweepTables() {}

    /** All tables as Markdown. */
    public static String markdown(StoredSweep sweep) {
        return text(sweep, TableView.MARKDOWN);
    }

    /** All tables as {@code view} has them, and what {@code window} found in its words. */
    public static String text(StoredSweep sweep, TableView view) {
        StringBuilder text = new StringBuilder();
        for (ResultTable table : of(sweep)) {
            if (!table.rows().isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(table.text(view));
            }
        }
        for (Map<String, @Nullable Object> answer : JsonText.maps(sweep.window().get("answers"))) {
            if (answer.get("sentence") instanceof String sentence) {
                text.append('\n').append(sentence).append('\n');
            }
        }
        return text.toString();
    }

    /** The tables, in the order of the experiments. A trial that waits has no row. */
    public static List<ResultTable> of(StoredSweep sweep) {
        List<Map<String, @Nullable Object>> experiments = JsonText.maps(sweep.values().get("experiments"));
        List<ResultTable> tables = new ArrayList<>();
        for (String name : sweep.experiments()) {
            Map<String, @Nullable Object> said =
                experiments.stream().filter(one -> name.equals(one.get("name"))).findFirst().orElse(Map.of());
            List<StoredTrial> trials = sweep.trials().stream().filter(trial -> trial.experiment().equals(name)).toList();
            tables.add(table(name, said, trials, StoredSweep.isRunning(sweep.directory())));
        }
        return tables;
    }

    private static ResultTable table(String name, Map<String, @Nullable Object> said, List<StoredTrial> trials, boolean running) {
        List<TableRow> rows = new ArrayList<>();
        Set<String> brokers = new LinkedHashSet<>();
        trials.stream().filter(trial -> !trial.state().equals("waiting")).sorted(Comparator
            .comparingInt(StoredTrial::index).thenComparingInt(StoredTrial::round)).forEach(trial -> {
                StoredResult result = trial.run().filter(run -> run.state() == StoredRun.State.ENDED).map(StoredRun::result).orElse(null);
                if (result != null && result.values().get("versions") instanceof Map<?, ?> versions && versions.get("broker") != null) {
                    brokers.add(String.valueOf(versions.get("broker")));
                }
                rows.add(row(trial, result, running));
            });
        List<String> notes = new ArrayList<>();
        if (said.get("source") instanceof String source) {
            notes.add("Published in " + source + ".");
        }
        if (!brokers.isEmpty()) {
            notes.add("Measured on " + String.join(", ", brokers) + ".");
        }
        return new ResultTable(said.get("title") instanceof String title ? name + ": " + title : name, String.join(" ", notes), kind(said),
            rows);
    }

    private static TableRow row(StoredTrial trial, @Nullable StoredResult result, boolean running) {
        Map<String, PublishedFigure> published = new LinkedHashMap<>();
        trial.published().forEach((key, figure) -> published.put(key, new PublishedFigure(figure.text(), figure.value())));
        return TableRow.of(its -> {
            its.number = trial.number();
            its.variant = trial.point();
            its.repeat = trial.round();
            its.published = published;
            its.state = trial.state().equals("running") && !running ? "cut off" : trial.state();
            its.result = result;
            its.causes = trial.causes();
        });
    }

    private static TableKind kind(Map<String, @Nullable Object> said) {
        return switch (String.valueOf(said.get("columns")).toLowerCase(Locale.ROOT)) {
            case "rocketmq" -> TableKind.ROCKETMQ;
            case "cern" -> TableKind.CERN;
            case "artemis" -> TableKind.ARTEMIS;
            default -> TableKind.GENERIC;
        };
    }
}
