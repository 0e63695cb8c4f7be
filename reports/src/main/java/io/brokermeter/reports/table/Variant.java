package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.reports.StoredResult;

/**
 * The rows of a table that differ in their repeat alone.
 *
 * @param names values that distinguish it from the others, by name
 * @param rows its trials
 */
record Variant(Map<String, String> names, List<TableRow> rows) {

    /** Verdicts on a trial; a doubtful one passed, but may have measured the generator. */
    private static final String PASSED = "passed";
    private static final String FAILED = "failed";
    private static final String DOUBTFUL = "doubtful";
    private static final String THRESHOLD_MISSED = "threshold missed";

    /** Returns the variants of a table, in the order of their first rows. */
    static List<Variant> of(List<TableRow> rows) {
        Map<Map<String, String>, List<TableRow>> all = new LinkedHashMap<>();
        rows.forEach(row -> all.computeIfAbsent(row.variant(), _ -> new ArrayList<>()).add(row));
        return all.entrySet().stream().map(e -> new Variant(e.getKey(), e.getValue())).toList();
    }

    /**
     * Returns the state of a trial. The state in its sweep takes precedence over the result; but a trial that passed and
     * whose result is gone counts as failed.
     */
    static String state(TableRow row) {
        if (row.result() == null && row.state().equals(PASSED)) {
            return FAILED;
        }
        return !row.state().isEmpty() ? row.state() : row.result() != null && row.result().success() ? PASSED : FAILED;
    }

    /** Returns why trials failed, each cause once. */
    Set<String> causes() {
        Set<String> causes = new LinkedHashSet<>();
        rows.stream().filter(row -> !state(row).equals(PASSED)).forEach(row -> causes.addAll(row.causes()));
        return causes;
    }

    /** Returns the state of a trial as {@link #state(TableRow)}; for one that passed, whether it missed a threshold or is doubtful. */
    private static String verdict(TableRow row) {
        StoredResult result = row.result();
        if (!state(row).equals(PASSED) || result == null) {
            return state(row);
        }
        return result.isInvalid() && !result.is(RunOutcome.THRESHOLD_MISSED) ? "invalid"
            : !result.meetsThresholds() ? THRESHOLD_MISSED : result.doubts().isEmpty() ? PASSED : DOUBTFUL;
    }

    Map<String, PublishedFigure> published() {
        Map<String, PublishedFigure> all = new LinkedHashMap<>();
        rows.forEach(row -> all.putAll(row.published()));
        return all;
    }

    /** Returns whether any trial of the variant passed. */
    boolean isMeasured() {
        return rows.stream().anyMatch(row -> row.result() != null && state(row).equals(PASSED));
    }

    /** Returns the results of the trials that passed; if none did, of those that failed. An interrupted trial is not counted. */
    List<StoredResult> counted() {
        return resultsOf(isMeasured() ? PASSED : FAILED);
    }

    private List<StoredResult> resultsOf(String state) {
        List<StoredResult> results = new ArrayList<>();
        for (TableRow row : rows) {
            if (row.result() != null && state(row).equals(state)) {
                results.add(row.result());
            }
        }
        return results;
    }

    /** Returns every result. */
    List<StoredResult> results() {
        List<StoredResult> results = new ArrayList<>();
        for (TableRow row : rows) {
            if (row.result() != null) {
                results.add(row.result());
            }
        }
        return results;
    }

    Spread spread(TableColumn column) {
        Spread due = due(column);
        return due.isKnown() ? due : Spread.of(counted().stream().map(column::withOverdue).toList());
    }

    /** Returns whether the spread is of times with overdue messages, as no trial has others; the two are not mixed. */
    boolean isOverdue(TableColumn column) {
        return !due(column).isKnown() && spread(column).isKnown();
    }

    private Spread due(TableColumn column) {
        return Spread.of(counted().stream().map(column::of).toList());
    }

    /** Describes what must be known beside the figures: how many trials failed, are missing or doubtful, or missed a threshold. */
    String state() {
        Map<String, Long> states = rows.stream().map(Variant::verdict)
            .collect(Collectors.groupingBy(state -> state, LinkedHashMap::new, Collectors.counting()));
        states.remove(PASSED);
        return states.entrySet().stream().map(e -> rows.size() == 1 ? e.getKey() : e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", "));
    }

    String title() {
        return names.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
    }
}
