package io.brokermeter.experiment;

import java.util.Collections;
import java.util.List;
import java.util.Map;

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
        String name, @Nullable String title, @Nullable String description, @Nullable Source source, Columns columns,
        List<Axis> axes, int repeat, Order order, long seed, List<Trial> trials, List<Published> published,
        List<String> warnings, String yaml, Origin origin) {

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
        List<Trial> whole = trials.stream().map(trial -> new Trial(trial.number(), trial.index(), trial.round(), trial.point(),
            trial.workload().reached(access -> access.revealed(secrets)),
            trial.broker(), trial.ownDestinations())).toList();
        return new Experiment(name, title, description, source, columns, axes, repeat, order, seed, whole, published, warnings,
            yaml, origin);
    }

    /** How many different points there are. */
    public int points() {
        return trials.size() / repeat;
    }
}
