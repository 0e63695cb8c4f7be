package io.brokermeter.experiment;

import java.util.Collections;
import java.util.List;
import java.util.Map;

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
        return new Experiment(name, title, description, source, columns, axes, repeat, order, seed, whole, search, published, warnings,
            yaml,
            origin);
    }

    /** Returns the number of different points. */
    public int points() {
        return trials.size() / repeat;
    }
}
