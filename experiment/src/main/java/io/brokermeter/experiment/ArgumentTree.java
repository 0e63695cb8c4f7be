package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Destination;

/** A command line as the tree that a scenario file with the same meaning has; its places are options. */
public final class ArgumentTree {

    private Tree.Fields fields = Tree.Fields.none(new Place("", 0, 0));

    /**
     * Sets a key.
     *
     * @param option where it was written
     */
    public void set(String path, String text, String option) {
        Place place = new Place(option, 0, 0);
        fields = KeyPath.set(fields, path, new Tree.Leaf(text, true, place), place);
    }

    /** Sets names with texts. */
    public void set(String path, Map<String, String> texts, String option) {
        Place place = new Place(option, 0, 0);
        Tree.Fields all = Tree.Fields.none(place);
        for (Map.Entry<String, String> text : texts.entrySet()) {
            all = all.with(text.getKey(), new Tree.Leaf(text.getValue(), true, place), place);
        }
        fields = KeyPath.set(fields, path, all, place);
    }

    /** Sets the destinations of all groups. */
    public void destinations(List<Destination> all) {
        Place place = new Place("DESTINATION", 0, 0);
        List<Tree> items = all.stream().<Tree>map(one -> new Tree.Leaf(one.toString(), true, place)).toList();
        fields = fields.with("destinations", new Tree.Items(items, place), place);
    }

    /**
     * The scenario; its endpoints are placeholders.
     *
     * @throws UsageException with one sentence for the first mistake, in the words of the options
     */
    public Scenario scenario(long seed) {
        return Objects.requireNonNull(new Binder(fields, Path.of(""), seed, Complaints.atOnce()).workload()).scenario();
    }
}
