package io.brokermeter.experiment;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.experiment.published.Columns;
import io.brokermeter.experiment.published.Publication;
import io.brokermeter.experiment.published.Published;
import org.jspecify.annotations.Nullable;

/**
 * An experiment as a scenario file with the changes of the command line describes it. Everything that can be checked without a
 * driver was checked. Immutable.
 *
 * @param name short name; that of the file by default
 * @param title title in one line, or null
 * @param description purpose of the experiment, or null
 * @param source the document in which it was published, or null
 * @param columns columns of its table
 * @param axes keys that vary, in the order of the file; empty for none
 * @param repeat how often each point is measured, at least 1
 * @param order order in which the trials run
 * @param seed seed of the order, and of the first round; each later round has the next number
 * @param trials all trials, in the order in which they run; at least one
 * @param search the search for the highest load that the trials are for; null for none
 * @param published published figures
 * @param warnings sentences about settings that have no effect or were converted with a loss
 * @param yaml the whole experiment as a scenario file that contains the overrides, the scale and the seed, so that it makes the
 *     same trials in the same order again wherever it is read
 * @param origin the places where its keys were written
 */
public record Experiment(
        String name, @Nullable String title, @Nullable String description, @Nullable Publication source, Columns columns,
        List<Axis> axes, int repeat, Order order, long seed, List<Trial> trials, @Nullable Search search,
        List<Published> published, List<String> warnings, String yaml, Origin origin) {

    /** The components of an experiment as mutable fields. */
    @SuppressWarnings("NullAway.Init") // fields without a default are checked when all are set
    public static final class Values {

        public String name;
        public @Nullable String title;
        public @Nullable String description;
        public @Nullable Publication source;
        public Columns columns;
        public List<Axis> axes;
        public int repeat;
        public Order order;
        public long seed;
        public List<Trial> trials;
        public @Nullable Search search;
        public List<Published> published;
        public List<String> warnings;
        public String yaml;
        public Origin origin;

        private Values() {}
    }

    /** Creates an experiment from the values that {@code change} sets. */
    public static Experiment of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** Returns a copy of this experiment with the changes that {@code change} makes. */
    public Experiment with(Consumer<Values> change) {
        Values its = new Values();
        its.name = name;
        its.title = title;
        its.description = description;
        its.source = source;
        its.columns = columns;
        its.axes = axes;
        its.repeat = repeat;
        its.order = order;
        its.seed = seed;
        its.trials = trials;
        its.search = search;
        its.published = published;
        its.warnings = warnings;
        its.yaml = yaml;
        its.origin = origin;
        return made(its, change);
    }

    private static Experiment made(Values its, Consumer<Values> change) {
        change.accept(its);
        return new Experiment(Objects.requireNonNull(its.name, "name"), its.title, its.description, its.source,
            Objects.requireNonNull(its.columns, "columns"), Objects.requireNonNull(its.axes, "axes"), its.repeat,
            Objects.requireNonNull(its.order, "order"), its.seed, Objects.requireNonNull(its.trials, "trials"), its.search,
            Objects.requireNonNull(its.published, "published"), Objects.requireNonNull(its.warnings, "warnings"),
            Objects.requireNonNull(its.yaml, "yaml"), Objects.requireNonNull(its.origin, "origin"));
    }

    public Experiment {
        axes = List.copyOf(axes);
        trials = Collections.unmodifiableList(trials); // not copied: very many trials are made only when they are requested
        published = List.copyOf(published);
        warnings = List.copyOf(warnings);
    }

    /** Returns the published rows that apply to a trial, in the order of the file. */
    public List<Published> published(Trial trial) {
        return published.stream().filter(row -> row.matches(trial.point())).toList();
    }

    /** Returns a copy of this experiment with values for the parameters that its file does not keep; {@code secrets} has them by name. */
    public Experiment revealed(Map<String, String> secrets) {
        if (secrets.isEmpty()) {
            return this;
        }
        List<Trial> whole = trials.stream().map(trial -> trial.with(trial.workload().reached(access -> access.revealed(secrets)))).toList();
        return with(its -> its.trials = whole);
    }

    /** Returns the number of different points. */
    public int points() {
        return trials.size() / repeat;
    }
}
