package io.brokermeter.reports.stored;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.reports.document.SweepDocument.PublishedValue;

/**
 * A trial of a stored sweep.
 *
 * @param number number of the trial in the sweep, from 1, in the order of running
 * @param index place of its point in the order of the sweep, from 0
 * @param experiment name of its experiment
 * @param experimentNumber number of its experiment in the sweep, from 1; two experiments may have the same name
 * @param point values that distinguish it from the other trials, by the paths of keys, in the order of the file
 * @param round number of the repetition of the point, from 1
 * @param state {@code waiting}, {@code running}, {@code passed}, {@code failed} or {@code interrupted}
 * @param causes reasons why it failed, one sentence each
 * @param directory directory of its files; need not exist for a trial that waits
 * @param published figures that were published about its point, as they were written, by the key of a table's column
 */
public record StoredTrial(
        int number, int index, String experiment, int experimentNumber, Map<String, String> point, int round, String state,
        List<String> causes, Path directory,
        Map<String, PublishedValue> published) {

    /** Returns whether the trial came to a result, passed or failed. */
    public boolean isDone() {
        return state.equals("passed") || isFailed();
    }

    /** Returns whether the trial is over and gave no figures that count. */
    public boolean isFailed() {
        return state.equals("failed");
    }

    /** Reads the files of the trial; returns empty if it left none. */
    public Optional<StoredRun> run() {
        return StoredRun.isRun(directory) ? Optional.of(StoredRun.read(directory)) : Optional.empty();
    }

    /** Describes what distinguishes the trial: {@code load.rate 10k/s, repeat 2}; empty for the only trial. */
    public String variant(boolean repeats) {
        StringBuilder text = new StringBuilder();
        point.forEach((name, value) -> text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(value));
        if (repeats) {
            text.append(text.isEmpty() ? "" : ", ").append("repeat ").append(round);
        }
        return text.toString();
    }
}
