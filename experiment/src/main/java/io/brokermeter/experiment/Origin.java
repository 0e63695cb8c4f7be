package io.brokermeter.experiment;

import java.util.Optional;

/** Where the keys of an experiment were written, for sentences about them that only a later check can make. */
public final class Origin {

    private final String name;
    private final Tree.Fields written;

    Origin(String name, Tree.Fields written) {
        this.name = name;
        this.written = written;
    }

    /** {@code FILE:LINE} of the first key of that name with that value, or with that value in a sweep; the file alone for none. */
    public String of(String key, String value) {
        return find(written, key, value).map(Place::toString).orElse(name);
    }

    /** {@code FILE:LINE} of the first key at a path, or of the one in a sweep that varies it; the file alone for none. */
    public String at(String path) {
        return find(written, path).map(Place::toString).orElse(name);
    }

    /** {@code FILE:LINE} of one of the things at a key of the whole file, counted from 0. */
    public String item(String key, int index) {
        Tree all = written.get(key);
        if (all instanceof Tree.Items list && index < list.items().size()) {
            return list.items().get(index).place().toString();
        }
        return at(key);
    }

    private static Optional<Place> find(Tree tree, String path) {
        return switch (tree) {
            case Tree.Leaf _ -> Optional.empty();
            case Tree.Items list -> list.items().stream().flatMap(item -> find(item, path).stream()).findFirst();
            case Tree.Fields fields -> fields.fields().entrySet().stream().flatMap(field -> {
                String key = field.getKey().replaceAll("\\.[0-9]+", "");
                Tree below = field.getValue().value();
                return (path.equals(key) ? Optional.of(field.getValue().place()) : key.equals("sweep") ? find(below, path)
                    : path.startsWith(key + ".") ? find(below, path.substring(key.length() + 1)) : Optional.<Place>empty()).stream();
            }).findFirst();
        };
    }

    private static Optional<Place> find(Tree tree, String key, String value) {
        return switch (tree) {
            case Tree.Leaf _ -> Optional.empty();
            case Tree.Items list -> list.items().stream().flatMap(item -> find(item, key, value).stream()).findFirst();
            case Tree.Fields fields -> fields.fields().entrySet().stream().flatMap(field -> {
                String path = field.getKey();
                Tree below = field.getValue().value();
                boolean named = path.equals(key) || path.endsWith("." + key);
                return (named && says(below, value) ? Optional.of(field.getValue().place()) : find(below, key, value)).stream();
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

    /** The file, or what it was called. */
    @Override
    public String toString() {
        return name;
    }
}
