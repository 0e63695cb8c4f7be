package io.brokermeter.reports.document;

import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import io.brokermeter.reports.document.DocumentJson.Inline;
import org.jspecify.annotations.Nullable;

/**
 * The {@code sweep.json} of a sweep: its plan, and the state of each trial.
 *
 * @param git commit of the directory in which it was started; null if it is unknown
 * @param comparison question and state of a comparison, a search or {@code window}; null for other sweeps
 * @param unnamedBroker name of the broker that was used where none was named
 * @param files files that the user named
 * @param templates files of templates that the scenarios name
 */
public record SweepDocument(
        long format, String tool, @Nullable String started, Map<String, String> labels, @IfKnown EnvironmentDocument.@Nullable Git git,
        @IfKnown @Nullable Question comparison, @IfKnown @Nullable String unnamedBroker, List<NamedFile> files,
        List<OneExperiment> experiments, @IfKnown List<KeptInput> templates, List<OneTrial> trials) {

    /** Returns all labels, those of the user first. */
    public Map<String, String> allLabels() {
        return EnvironmentDocument.Git.labels(labels, git);
    }

    /**
     * What a comparison, a search or {@code window} is to find, and how far it is: exactly one of the three. It is kept since what is resumed
     * must ask the same.
     *
     * @param paired question of {@code ab}
     */
    public record Question(@IfKnown @Nullable AskedLimit limit, @IfKnown @Nullable AskedWindow window,
            @Inline @Nullable AskedPairs paired) {

        public static Question of(AskedLimit limit) {
            return new Question(limit, null, null);
        }

        public static Question of(AskedWindow window) {
            return new Question(null, window, null);
        }

        public static Question of(AskedPairs paired) {
            return new Question(null, null, paired);
        }
    }

    /**
     * The question of {@code ab}.
     *
     * @param pairs numbers of pairs after which it looks
     * @param width width of the interval that is enough
     * @param figures names of the figures to compare, the first of which decides
     * @param failIf conditions under which the command fails
     * @param timeSeconds the longest time that the pairs may take; NaN for no limit
     * @param ended why no pair follows; empty before the end
     * @param paused why it can go on later; empty if it is not interrupted
     */
    public record AskedPairs(List<Long> pairs, double width, List<String> figures, double minEffect, List<String> failIf,
            double timeSeconds, String ended, String paused) {}

    /**
     * The question of {@code search}.
     *
     * @param key path of the key that is searched
     * @param along another number, at each value of which it is searched; null for none
     * @param goals what a trial must meet, in the form of thresholds
     * @param confirmationSeconds duration of the long trial at the lower end; 0 for none
     * @param curve whether trials below the limit follow
     * @param timeSeconds the time after which no further trial begins; NaN for no limit
     */
    public record AskedLimit(String key, String words, @IfKnown @Nullable AskedAlong along, double least, double most, double start,
            double width, double confidence, long trials, boolean whole, List<String> goals, double confirmationSeconds, boolean curve,
            double timeSeconds) {}

    /**
     * Several values of another number.
     *
     * @param counts whether the law of scalability says how the limit depends on it
     */
    public record AskedAlong(String key, String words, boolean counts, List<Long> values) {}

    /**
     * The question of {@code window}.
     *
     * @param sides names of the sides
     * @param sets changes of keys that the user gave
     * @param access how the broker is reached, without login and password
     * @param seconds the time after which no further trial begins
     * @param tried what its changes set, by the name of their experiment; null in files of versions that did not write it
     */
    public record AskedWindow(List<String> sides, List<Long> roundTripsMicros, List<Long> sizes, String protocol, String broker,
            String destination, double scale, List<String> sets, Map<String, String> access, double seconds,
            @IfKnown(evenEmpty = true) @Nullable Map<String, String> tried) {}

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
}
