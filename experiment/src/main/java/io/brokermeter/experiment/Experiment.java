package io.brokermeter.experiment;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * An experiment as a scenario file, with what the command line changes of it, describes it. Everything that can be known
 * without a driver was checked.
 *
 * @param name its name, short; the file's by default
 * @param title one line about it, or null
 * @param description what it is about, or null
 * @param source where it was published, or null
 * @param columns which columns its table has
 * @param axes what varies, in the order of the file; empty for nothing
 * @param repeat how often each point is measured, at least 1
 * @param order in which order
 * @param seed of the order, and of the first round; each later round has the next number
 * @param trials every run, in the order to run them; at least one
 * @param published what was published
 * @param warnings sentences about what has no effect or was mapped with a loss
 * @param yaml the whole experiment as a scenario file: with the overrides, the scale and the seed in it, so that it makes the
 *     same trials in the same order again wherever it is read
 * @param origin where its keys were written
 */
public record Experiment(
        String name, @Nullable String title, @Nullable String description, @Nullable Publication source, Columns columns,
        List<Axis> axes, int repeat, Order order, long seed, List<Trial> trials, List<Published> published,
        List<String> warnings, String yaml, Origin origin) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
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
        public List<Published> published;
        public List<String> warnings;
        public String yaml;
        public Origin origin;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Experiment of(Consumer<Values> change) {
        return made(new Values(), change);
    }

    /** The same but for what {@code change} sets. */
    public Experiment but(Consumer<Values> change) {
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
            Objects.requireNonNull(its.order, "order"), its.seed, Objects.requireNonNull(its.trials, "trials"),
            Objects.requireNonNull(its.published, "published"), Objects.requireNonNull(its.warnings, "warnings"),
            Objects.requireNonNull(its.yaml, "yaml"), Objects.requireNonNull(its.origin, "origin"));
    }

    public Experiment {
        axes = List.copyOf(axes);
        trials = Collections.unmodifiableList(trials); // a great many are made when they are asked for
        published = List.copyOf(published);
        warnings = List.copyOf(warnings);
    }

    /** The published rows that speak of a trial, in the order of the file. */
    public List<Published> published(Trial trial) {
        return published.stream().filter(row -> row.matches(trial.point())).toList();
    }

    /** The same with parameters whose values its file does not keep, by their names. */
    public Experiment revealed(Map<String, String> secrets) {
        if (secrets.isEmpty()) {
            return this;
        }
        List<Trial> whole = trials.stream().map(trial -> trial.with(trial.workload().reached(access -> access.revealed(secrets)))).toList();
        return but(its -> its.trials = whole);
    }

    /** How many different points there are. */
    public int points() {
        return trials.size() / repeat;
    }
}
