package io.brokermeter.reports.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import org.jspecify.annotations.Nullable;

/**
 * The {@code sweep.json} of a sweep: its plan, and the state of each trial.
 *
 * @param git commit of the directory in which it was started; empty if it is unknown
 * @param comparison question and state of a comparison, a search or {@code window}; empty for other sweeps
 * @param unnamedBroker name of the broker that was used where none was named
 * @param files files that the user named
 * @param templates files of templates that the scenarios name
 */
public record SweepDocument(
        long format, String tool, @Nullable String started, Map<String, String> labels, @IfKnown Map<String, @Nullable Object> git,
        @IfKnown Map<String, @Nullable Object> comparison, @IfKnown @Nullable String unnamedBroker, List<NamedFile> files,
        List<OneExperiment> experiments, @IfKnown List<KeptInput> templates, List<OneTrial> trials) {

    /** A text of the state of a comparison; empty if it has none. */
    public String ofComparison(String key) {
        return comparison.get(key) instanceof String text ? text : "";
    }

    /** A file with its checksum when the sweep began. */
    public record NamedFile(String path, String sha256) {}

    /**
     * An experiment.
     *
     * @param file name of its file in the directory of the sweep
     * @param columns kind of its table
     * @param source where its published figures are from
     */
    public record OneExperiment(String file, String sha256, @IfKnown @Nullable String name, @IfKnown @Nullable String title,
            @IfKnown @Nullable String columns, @IfKnown @Nullable String source) {}

    /**
     * A trial.
     *
     * @param index place of its point in the order of the sweep, from 0; null in files of format 1
     * @param experimentNumber number of its experiment, from 1; null in files of versions that did not write it
     * @param published published figures of its point, by the key of a table's column
     */
    public record OneTrial(
            long number, String experiment, @Nullable Long index, @Nullable Long experimentNumber, @Nullable Long seed,
            Map<String, String> point, long round, String directory, String state, List<String> causes,
            @IfKnown Map<String, PublishedValue> published) {}

    /**
     * A published figure.
     *
     * @param text text as it was written
     * @param value value in the unit of the column; the middle of a range
     */
    public record PublishedValue(String text, double value) {}

    /**
     * The labels by which a run or a sweep is found, from the environment of the one or the file of the other.
     *
     * @param labels labels that the user gave
     * @param git commit of the directory in which it was started
     */
    public record Labels(Map<String, String> labels, Map<String, String> git) {

        /** Returns all labels, those of the commit under {@code git.}. */
        public Map<String, String> all() {
            Map<String, String> all = new LinkedHashMap<>(labels);
            git.forEach((name, value) -> all.put("git." + name, value));
            return all;
        }
    }
}
