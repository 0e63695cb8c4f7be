package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** What a file says before anything is known about its meaning: a tree whose parts know where they were written. Immutable. */
sealed interface Tree {

    /** Where it begins; of the value of a key, where the key stands. */
    Place place();

    /** In one line, as a user would write it. */
    String flow();

    /**
     * A text, a number, or nothing.
     *
     * @param written the text as its user wrote it, which sentences repeat: {@code 1m} for what became {@code 60s}
     */
    record Leaf(String text, boolean quoted, Place place, String written) implements Tree {

        /** One that means what is written. */
        Leaf(String text, boolean quoted, Place place) {
            this(text, quoted, place, text);
        }

        /** Whether nothing was written at all. */
        boolean isNothing() {
            return !quoted && (text.isEmpty() || text.equals("null") || text.equals("~"));
        }

        @Override
        public String flow() {
            return text;
        }
    }

    /** Things in a row. */
    record Items(List<Tree> items, Place place) implements Tree {

        public Items {
            items = List.copyOf(items);
        }

        @Override
        public String flow() {
            return items.stream().map(Tree::flow).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /** Things with names, in their order. */
    record Fields(Map<String, Field> fields, Place place) implements Tree {

        public Fields {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        static Fields none(Place place) {
            return new Fields(Map.of(), place);
        }

        @Nullable Tree get(String name) {
            Field field = fields.get(name);
            return field == null ? null : field.value();
        }

        /** With another value of a field, or a field more. */
        Fields with(String name, Tree value, Place at) {
            Map<String, Field> all = new LinkedHashMap<>(fields);
            Field old = all.get(name);
            all.put(name, new Field(old == null ? at : old.place(), value));
            return new Fields(all, place);
        }

        /** Without a field. */
        Fields without(String name) {
            Map<String, Field> all = new LinkedHashMap<>(fields);
            all.remove(name);
            return new Fields(all, place);
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
     * @param place where the name was written
     */
    record Field(Place place, Tree value) {}

    /** A list that begins like another one, with one item replaced. */
    static Items replaced(Items list, int index, Tree item) {
        List<Tree> all = new ArrayList<>(list.items());
        all.set(index, item);
        return new Items(all, list.place());
    }
}
