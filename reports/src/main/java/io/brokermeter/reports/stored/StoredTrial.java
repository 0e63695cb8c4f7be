package io.brokermeter.reports.stored;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A trial of a stored sweep.
 *
 * @param number its number in the sweep, from 1, in the order of running
 * @param index the place of its point in the order of the sweep, from 0
 * @param experiment the name of its experiment
 * @param experimentNumber which experiment of the sweep that is, from 1; two of them may have one name
 * @param point what sets it apart from the other trials: values by the paths of keys, in the order of the file
 * @param round which repetition of the point it is, from 1
 * @param state {@code waiting}, {@code running}, {@code passed}, {@code failed} or {@code interrupted}
 * @param causes why it failed, one sentence each
 * @param directory of its files; need not be there for one that waits
 * @param published figures that were published about its point, as they were written, by the key of a table's column
 */
public record StoredTrial(
        int number, int index, String experiment, int experimentNumber, Map<String, String> point, int round, String state,
        List<String> causes, Path directory,
        Map<String, Published> published) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public int number;
        public int index;
        public String experiment;
        public int experimentNumber;
        public Map<String, String> point;
        public int round;
        public String state;
        public List<String> causes;
        public Path directory;
        public Map<String, Published> published;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static StoredTrial of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new StoredTrial(its.number, its.index, Objects.requireNonNull(its.experiment, "experiment"), its.experimentNumber,
            Objects.requireNonNull(its.point, "point"), its.round, Objects.requireNonNull(its.state, "state"),
            Objects.requireNonNull(its.causes, "causes"), Objects.requireNonNull(its.directory, "directory"),
            Objects.requireNonNull(its.published, "published"));
    }

    /**
     * A published figure.
     *
     * @param text as it was written
     * @param value in the unit of the column; the middle of a range
     */
    public record Published(String text, double value) {}

    /** Whether it came to a result, passed or not. */
    public boolean isDone() {
        return state.equals("passed") || state.equals("failed");
    }

    /** Its files; empty when it left none. */
    public Optional<StoredRun> run() {
        return StoredRun.isRun(directory) ? Optional.of(StoredRun.read(directory)) : Optional.empty();
    }

    /** What sets it apart, for people: {@code load.rate 10k/s, repeat 2}; empty for the only trial. */
    public String variant(boolean repeats) {
        StringBuilder text = new StringBuilder();
        point.forEach((name, value) -> text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(value));
        if (repeats) {
            text.append(text.isEmpty() ? "" : ", ").append("repeat ").append(round);
        }
        return text.toString();
    }
}
