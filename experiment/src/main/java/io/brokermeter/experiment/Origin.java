package io.brokermeter.experiment;

import java.util.Optional;

import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;

/** The places where the keys of an experiment were written, for messages of later checks. Immutable. */
public final class Origin {

    private final String name;
    private final Tree.Fields written;

    Origin(String name, Tree.Fields written) {
        this.name = name;
        this.written = written;
    }

    /** Returns {@code FILE:LINE} of the first key with a name and a value, which may be one of a sweep; the file alone for none. */
    public String of(String key, String value) {
        return find(written, key, value).map(SourceLocation::toString).orElse(name);
    }

    /** Returns {@code FILE:LINE} of the first key at a path, or of the key of a sweep that varies it; the file alone for none. */
    public String at(String path) {
        return find(written, path).map(SourceLocation::toString).orElse(name);
    }

    /** Returns {@code FILE:LINE} of an item in the list at a key of the whole file, by its index from 0. */
    public String item(String key, int index) {
        Tree all = written.get(key);
        if (all instanceof Tree.Items list && index < list.items().size()) {
            return list.items().get(index).location().toString();
        }
        return at(key);
    }

    /** Returns whether there are groups of producers, each with a load of its own in place of the one of the file, without regard to a sweep. */
    public boolean hasOwnLoads() {
        return SharedKeys.areLoadsReplaced(written);
    }

    private static Optional<SourceLocation> find(Tree tree, String path) {
        return switch (tree) {
            case Tree.Leaf _ -> Optional.empty();
            case Tree.Items list -> list.items().stream().flatMap(item -> find(item, path).stream()).findFirst();
            case Tree.Fields fields -> fields.fields().entrySet().stream().flatMap(field -> {
                String key = field.getKey().replaceAll("\\.[0-9]+", "");
                Tree below = field.getValue().value();
                return (path.equals(key) ? Optional.of(field.getValue().location()) : key.equals("sweep") ? find(below, path)
                    : path.startsWith(key + ".") ? find(below, path.substring(key.length() + 1)) : Optional.<SourceLocation>empty())
                    .stream();
            }).findFirst();
        };
    }

    private static Optional<SourceLocation> find(Tree tree, String key, String value) {
        return switch (tree) {
            case Tree.Leaf _ -> Optional.empty();
            case Tree.Items list -> list.items().stream().flatMap(item -> find(item, key, value).stream()).findFirst();
            case Tree.Fields fields -> fields.fields().entrySet().stream().flatMap(field -> {
                String path = field.getKey();
                Tree below = field.getValue().value();
                boolean named = path.equals(key) || path.endsWith("." + key);
                return (named && says(below, value) ? Optional.of(field.getValue().location()) : find(below, key, value)).stream();
            }).findFirst();
        };
    }

    private static boolean says(Tree tree, String value) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf.text().equalsIgnoreCase(value);
            case Tree.Items list -> list.items().stream().anyMatch(item -> says(item, value));
            case Tree.Fields _ -> false;
        };
    }

    /** Returns the name of the file, or of the text that was read in its place. */
    @Override
    public String toString() {
        return name;
    }
}
