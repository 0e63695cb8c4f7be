package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.RunFile;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.Destination;

/** A command line as the tree of a scenario file with the same meaning, in which the places of values are options. */
public final class ArgumentTree {

    private Tree.Fields fields = Tree.Fields.none(new SourceLocation("", 0, 0));

    /**
     * Sets a key.
     *
     * @param path path of the key
     * @param text value of the key
     * @param option the option that has the value
     */
    public void set(String path, String text, String option) {
        set(path, text, text, option);
    }

    /**
     * Sets a key to a value that the user wrote in another form.
     *
     * @param written the value as the user wrote it, which sentences repeat
     */
    public void set(String path, String text, String written, String option) {
        SourceLocation location = new SourceLocation(option, 0, 0);
        fields = KeyPath.set(fields, path, new Tree.Leaf(text, RunFile.leaf(text).quoted(), location, written), location);
    }

    /** Sets the names below a key to texts. */
    public void set(String path, Map<String, String> texts, String option) {
        texts.forEach((name, text) -> set(path + "." + name, text, option));
    }

    /** Sets a key of the whole file to a list of texts. */
    public void set(String key, List<String> texts, String option) {
        SourceLocation location = new SourceLocation(option, 0, 0);
        fields =
            fields.with(key, new Tree.Items(texts.stream().<Tree>map(text -> new Tree.Leaf(text, true, location)).toList(), location),
                location);
    }

    /**
     * Sets the destinations of all groups.
     *
     * @param names names as the user wrote them
     * @param count number of destinations for each name
     * @throws UsageException with one sentence for a name that is not valid
     */
    public void destinations(List<String> names, String count) {
        SourceLocation location = new SourceLocation("DESTINATION", 0, 0);
        SourceLocation counted = new SourceLocation("--num-destinations", 0, 0);
        List<Tree> items = new ArrayList<>();
        for (String name : names) {
            if (name.isBlank()) {
                throw new UsageException("The name of a destination is empty; name a queue or a topic, like queue://Q.");
            }
            Destination one = ValueSyntax.destination(name);
            Tree.Fields item =
                Tree.Fields.none(location).with(one.isTopic() ? "topic" : "queue", new Tree.Leaf(one.name(), true, location), location);
            items.add(count.equals("1") ? item : item.with("count", new Tree.Leaf(count, false, counted), counted));
        }
        fields = fields.with("destinations", new Tree.Items(items, location), location);
    }

    /**
     * Returns the workload.
     *
     * @throws UsageException with one sentence for the first mistake, which names settings by options
     */
    public Workload workload(long seed) {
        return Objects.requireNonNull(binder(seed).workload());
    }

    /** Returns the broker to start, whose name must be set. Throws as {@link #workload} does. */
    public BrokerChoice broker() {
        return Objects.requireNonNull(binder(0).broker());
    }

    private Binder binder(long seed) {
        return new Binder(fields, Path.of(""), seed, FileErrors.atOnce());
    }
}
