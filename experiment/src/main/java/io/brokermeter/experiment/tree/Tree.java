package io.brokermeter.experiment.tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The content of a file without its meaning: a tree whose nodes have the places where they were written. Immutable. */
public sealed interface Tree {

    /** Returns the place where the node begins; for the value of a key, the place of the key. */
    SourceLocation location();

    /** Returns the node in one line, as a user would write it. */
    String flow();

    /**
     * A text, a number, or no value.
     *
     * @param written the text as the user wrote it, which sentences repeat: {@code 1m} where {@code text} is {@code 60s}
     */
    record Leaf(String text, boolean quoted, SourceLocation location, String written) implements Tree {

        /** Creates a leaf whose text is as the user wrote it. */
        public Leaf(String text, boolean quoted, SourceLocation location) {
            this(text, quoted, location, text);
        }

        /** Returns whether the leaf stands for no value. */
        public boolean isNothing() {
            return !quoted && (text.isEmpty() || text.equals("null") || text.equals("~"));
        }

        @Override
        public String flow() {
            return text;
        }
    }

    /** Returns whether there is no node, or one that is a leaf without a value. */
    static boolean isNothing(@Nullable Tree tree) {
        return tree == null || tree instanceof Leaf leaf && leaf.isNothing();
    }

    /** Returns the items of a list, or the one node in place of such a list; none where there is no value. */
    static List<Tree> items(@Nullable Tree tree) {
        return switch (tree) {
            case null -> List.of();
            case Items list -> list.items();
            case Leaf leaf when leaf.isNothing() -> List.of();
            case Tree one -> List.of(one);
        };
    }

    /** A list. */
    record Items(List<Tree> items, SourceLocation location) implements Tree {

        public Items {
            items = List.copyOf(items);
        }

        @Override
        public String flow() {
            return items.stream().map(Tree::flow).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /** A map of names to values, in their order. */
    record Fields(Map<String, Field> fields, SourceLocation location) implements Tree {

        public Fields {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        public static Fields none(SourceLocation location) {
            return new Fields(Map.of(), location);
        }

        public @Nullable Tree get(String name) {
            Field field = fields.get(name);
            return field == null ? null : field.value();
        }

        /** Returns a copy with another value of a field, or with an additional field, which was written at {@code at}. */
        public Fields with(String name, Tree value, SourceLocation at) {
            Map<String, Field> all = new LinkedHashMap<>(fields);
            Field old = all.get(name);
            all.put(name, new Field(old == null ? at : old.location(), value));
            return new Fields(all, location);
        }

        /** Returns a copy without a field. */
        public Fields without(String name) {
            Map<String, Field> all = new LinkedHashMap<>(fields);
            all.remove(name);
            return new Fields(all, location);
        }

        @Override
        public String flow() {
            return fields.entrySet().stream().map(field -> field.getKey() + ": " + field.getValue().value().flow())
                .collect(Collectors.joining(", ", "{", "}"));
        }
    }

    /**
     * The value of a name.
     *
     * @param location location where the name was written
     */
    record Field(SourceLocation location, Tree value) {}

    /** Returns a copy of a list with one item replaced. */
    static Items replaced(Items list, int index, Tree item) {
        List<Tree> all = new ArrayList<>(list.items());
        all.set(index, item);
        return new Items(all, list.location());
    }
}
